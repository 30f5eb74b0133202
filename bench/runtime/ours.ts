/**
 * One controller of ours on many ConfigMaps: reads each from the cache, and with `write` applies a child for each.
 * Arguments: kubeconfig, label selector, how many there are, "read" or "write". Prints one line of JSON.
 */
import { connect, loadKubeconfig } from "@kedge/client";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { createManager, defineController } from "@kedge/runtime";

const began = clock.monotonic();
const [path = "", labelSelector = "", count = "0", mode] = process.argv.slice(2);
const client = connect(await loadKubeconfig({ env: {}, clock, path }), { clock, random });
const manager = createManager({ client, clock, random, name: "bench", logWrites: "debug" });
const finished = Promise.withResolvers<void>();
let [done, first] = [0, 0];
manager.add(
  defineController({
    name: "bench-ts",
    for: ConfigMap,
    select: { labelSelector },
    workers: 4,
    async reconcile(context) {
      const { object } = context;
      if (first === 0) first = clock.monotonic();
      if (object === undefined) return undefined;
      if (mode === "write") {
        const { namespace, name } = object.metadata;
        const metadata = { namespace, name: `ts-child-of-${name}` };
        await context.apply(ConfigMap, { metadata, data: { of: name } });
      }
      if (++done === Number(count)) finished.resolve();
      return undefined;
    },
  }),
);
const stopping = new AbortController();
const running = manager.run(stopping.signal);
await Promise.race([finished.promise, running]);
const ended = clock.monotonic();
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${JSON.stringify({
    syncMs: first - began,
    perSecond: done / ((ended - first) / 1000),
    cpuMs: (user + system) / 1000,
    rssMiB: process.memoryUsage.rss() / 1024 / 1024,
  })}\n`,
);
stopping.abort();
await running;
await client.close();
