import { startOracle } from "./oracle.ts";

// An oracle as a program, for who cannot import it: says where it is, and ends with its parent.
const oracle = await startOracle();
process.send?.({ kubeconfig: oracle.kubeconfig.path, pids: oracle.processes.map(({ pid }) => pid) });
process.once("disconnect", () => {
  void oracle.stop();
});
