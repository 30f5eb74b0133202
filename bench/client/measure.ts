/** Measures one client in a fresh process: `node measure.ts <subject> <kubeconfig>`; prints one line of JSON. */
import { realClock } from "@kedge/machinery";
import { clientNode } from "./client-node.ts";
import { kedge } from "./kedge.ts";
import type { Subject } from "./subject.ts";

const subjects: Record<string, (kubeconfig: string) => Promise<Subject>> = {
  "client-node": clientNode,
  kedge: (kubeconfig) => kedge(kubeconfig, false),
  "kedge, managedFields dropped": (kubeconfig) => kedge(kubeconfig, true),
};

const [name = "", kubeconfig = ""] = process.argv.slice(2);
const begin = realClock.monotonic();
const subject = await subjects[name]?.(kubeconfig);
if (subject === undefined) throw new Error(`no subject ${name}`);
const importMs = realClock.monotonic() - begin;

await repeat(100, () => subject.get());
const calls = 500;
const getMs = (await timed(() => repeat(calls, () => subject.get()))) / calls;

globalThis.gc?.();
const before = process.memoryUsage();
let items: readonly unknown[] = [];
const listMs = await timed(async () => {
  items = await subject.list();
});
const peakRss = process.resourceUsage().maxRSS / 1024;
globalThis.gc?.();
const heldMiB = (process.memoryUsage().heapUsed - before.heapUsed) / 2 ** 20;
process.stdout.write(
  `${JSON.stringify({ importMs, getMs, listMs, heldMiB, peakMiB: peakRss - before.rss / 2 ** 20, items: items.length })}\n`,
);
process.exit(0);

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < times; i++) await work();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = realClock.monotonic();
  await work();
  return realClock.monotonic() - start;
}
