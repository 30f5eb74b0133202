/**
 * API server over a durable store, controllers and scheduler as `kedge up` runs them: in one process. Says where it
 * listens, answers each message with its usage so far, and ends with its parent.
 */
import { Client, inProcessTransport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { realClock as clock, realRandom as random, silentLogger as logger } from "@kedge/machinery";
import { createManager, type Manager } from "@kedge/runtime";
import { schedulerController } from "@kedge/scheduler";
import { startDurableServer } from "../durable-server.ts";
import { countRequests, type RequestCounts } from "./count-requests.ts";
import type { ServerPlace } from "./server-place.ts";

const { server, authority, serving, kubeconfig, folder, close } = await startDurableServer();

const counts = new Map<string, RequestCounts>();
const managerFor = (name: string): Manager => {
  const { handle, upgrade } = server.doorFor({ name: `system:${name}`, groups: ["system:masters"] });
  const counting = countRequests(inProcessTransport(handle, upgrade));
  counts.set(name, counting.counts);
  const client = new Client(counting.transport, {
    clock,
    random,
    userAgent: `${name}/bench`,
    dropManagedFields: true,
  });
  return createManager({ client, clock, random, logWrites: "debug", name });
};
const controllers = managerFor("kube-controller-manager");
addControllers(controllers, { clock, logger, authority: authority.certificate });
const scheduler = managerFor("default-scheduler");
scheduler.add(schedulerController());
const stopping = new AbortController();
const work = [controllers, scheduler].map((manager) => manager.run(stopping.signal));
await Promise.all([controllers.ready(), scheduler.ready()]);

const here: ServerPlace = { kubeconfig, folder, serving, clientAuthority: authority.certificate };
process.send?.(here);
process.on("message", () => {
  const requests = Object.fromEntries(
    Array.from(counts, ([name, counted]) => [name, Object.fromEntries(counted)]),
  );
  process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss(), requests });
});
process.once("disconnect", () => {
  void (async () => {
    stopping.abort();
    await Promise.allSettled(work);
    await close();
  })();
});
