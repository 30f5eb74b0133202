/**
 * Our API server, over its durable store, against etcd (which syncs, too) and kube-apiserver: each in processes of its
 * own, asked over HTTPS by the same bare client, in one run. Rounds alternate (ABBA) and medians are compared, so that a
 * busy machine hits both alike. The peer is the control plane that `./kedge test real` builds.
 *
 * `--short` measures one server of each kind, `--filter create` only the parts with this in their name, `--ours` only
 * our own.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { parts } from "./parts.ts";
import type { Figures } from "./part.ts";
import { percentile } from "./percentile.ts";
import { startServer } from "../server-process.ts";

const { values: flags } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    filter: { type: "string", default: "" },
    ours: { type: "boolean", default: false },
  },
});
const synced = JSON.stringify({ flags: { etcd: { "unsafe-no-fsync": "false" } } });
const peer = { name: "etcd and kube-apiserver", program: "../e2e/real/serve-oracle.ts", args: [synced] };
const ours = { name: "kedge", program: "apiserver/ours.ts", args: [] };
const subjects = flags.ours ? [ours] : [peer, ours];
const order = flags.short ? subjects : [...subjects, ...subjects.toReversed(), ...subjects];

const results = new Map<string, Figures[]>(subjects.map(({ name }) => [name, []]));
const load = loadavg()[0] ?? 0;
for (const { name, program, args } of order) results.get(name)?.push(await measure(program, args));
report();

async function measure(program: string, args: readonly string[]): Promise<Figures> {
  await using server = await startServer(program, args);
  const figures = new Map<string, number>();
  for (const part of parts) {
    if (part.name !== "start" && !part.name.includes(flags.filter)) continue;
    for (const [title, value] of await part.run(server, flags)) figures.set(title, value);
  }
  return figures;
}

function report(): void {
  const names = subjects.map(({ name }) => name);
  const [titles] = results.values();
  const rows = [...(titles?.[0]?.keys() ?? [])].map((title) => {
    const [base = Number.NaN, value] = names.map((name) => medianOf(results.get(name) ?? [], title));
    const cells = [title.padEnd(46), shown(base)];
    return (value === undefined ? cells : [...cells, shown(value), `×${(value / base).toFixed(2)}`]).join(
      "  ",
    );
  });
  const header = ["".padEnd(46), ...names.map((name) => name.padStart(12))].join("  ");
  const about = `ConfigMaps of 1 kB where nothing else is said; medians of ${order.length / subjects.length} servers each; load ${load.toFixed(1)} at the start`;
  process.stdout.write([about, header, ...rows, ""].join("\n"));
}

function medianOf(figures: readonly Figures[], title: string): number {
  return percentile(
    figures.map((each) => each.get(title) ?? Number.NaN),
    0.5,
  );
}

function shown(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0).padStart(12);
}
