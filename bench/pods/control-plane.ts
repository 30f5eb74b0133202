/**
 * API server over a durable store, controllers and scheduler as `kedge up` runs them: in one process. Says where it
 * listens, answers each message with its usage so far, and ends with its parent.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer, listen } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { realClock as clock, realRandom as random, silentLogger as logger } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { createManager, type Manager } from "@kedge/runtime";
import { schedulerController } from "@kedge/scheduler";
import { openLmdbStore } from "@kedge/store";
import { countRequests, type RequestCounts } from "./count-requests.ts";
import { kubeconfigText } from "./kubeconfig.ts";
import type { ServerPlace } from "./server-place.ts";

const folder = mkdtempSync(join(tmpdir(), "kedge-bench-pods-"));
const authority = await createAuthority({ name: "bench", clock, random });
const serving = await authority.issueServing({ name: "bench", hosts: ["127.0.0.1"] });
const admin = await authority.issueClient({ user: "admin", groups: ["system:masters"] });
const store = await openLmdbStore({ folder: join(folder, "store"), clock });
const server = createApiServer({ store, clock, random });
await server.start();
const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: authority.certificate };
const door = await listen(server, { ...place, clock });

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

const kubeconfig = join(folder, "kubeconfig");
const url = `https://127.0.0.1:${door.port}`;
writeFileSync(kubeconfig, kubeconfigText({ url, authority: authority.certificate, identity: admin }));
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
    await door.close();
    await server.close();
    await store.close();
    rmSync(folder, { recursive: true });
  })();
});
