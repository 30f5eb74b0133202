/**
 * API server over a durable store, controllers and scheduler as `kedge up` runs them: in one process. Says where it
 * listens, and ends with its parent.
 */
import { Client, inProcessTransport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { realClock as clock, realRandom as random, silentLogger as logger } from "@kedge/machinery";
import { createManager, type Manager } from "@kedge/runtime";
import { schedulerController } from "@kedge/scheduler";
import { startDurableServer } from "../durable-server.ts";

const { server, authority, kubeconfig, close } = await startDurableServer();

const managerFor = (name: string): Manager => {
  const { handle, upgrade } = server.doorFor({ name: `system:${name}`, groups: ["system:masters"] });
  const client = new Client(inProcessTransport(handle, upgrade), {
    clock,
    random,
    userAgent: `${name}/bench`,
    dropManagedFields: true,
  });
  return createManager({ client, clock, random, logWrites: "debug", name, metrics: "none" });
};
const controllers = managerFor("kube-controller-manager");
addControllers(controllers, { clock, logger, authority: authority.certificate });
const scheduler = managerFor("default-scheduler");
scheduler.add(schedulerController());
const stopping = new AbortController();
const work = [controllers, scheduler].map((manager) => manager.run(stopping.signal));
await Promise.all([controllers.ready(), scheduler.ready()]);

process.send?.({ kubeconfig, pids: [process.pid] });
process.once("disconnect", () => {
  void (async () => {
    stopping.abort();
    await Promise.allSettled(work);
    await close();
  })();
});
