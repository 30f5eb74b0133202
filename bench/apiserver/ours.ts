/** Our API server as a process of its own, over a durable store. Says where it listens, and ends with its parent. */
import { startDurableServer } from "../durable-server.ts";

const { kubeconfig, close } = await startDurableServer();
process.send?.({ kubeconfig, pids: [process.pid] });
process.once("disconnect", () => {
  void close();
});
