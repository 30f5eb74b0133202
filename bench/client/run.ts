/**
 * Our client against @kubernetes/client-node, in one run on the same local server. Each measurement is a process of
 * its own; the order alternates (ABBA) and medians are compared, so that a busy machine hits both alike.
 */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Result {
  readonly importMs: number;
  readonly getMs: number;
  readonly listMs: number;
  readonly heldMiB: number;
  readonly peakMiB: number;
  readonly items: number;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const peer = "client-node";
const ours = ["kedge", "kedge, managedFields dropped"];
const rounds = 3;

const server = fork(here("server.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
const folder = mkdtempSync(join(tmpdir(), "kedge-bench-"));
try {
  const [{ port, listBytes }] = (await once(server, "message")) as [{ port: number; listBytes: number }];
  const kubeconfig = join(folder, "config");
  writeFileSync(kubeconfig, kubeconfigFor(port));
  const order = [peer, ...ours];
  const results = new Map<string, Result[]>(order.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of [...order, ...order.toReversed()]) results.get(name)?.push(measure(name, kubeconfig));
  }
  report(results, listBytes);
} finally {
  server.disconnect();
  rmSync(folder, { recursive: true });
}

function measure(name: string, kubeconfig: string): Result {
  const flags = ["--expose-gc", "--conditions=kedge-source"];
  const output = execFileSync(process.execPath, [...flags, here("measure.ts"), name, kubeconfig], {
    encoding: "utf8",
  });
  return JSON.parse(output) as Result;
}

function report(results: ReadonlyMap<string, readonly Result[]>, listBytes: number): void {
  const columns: [keyof Result, string][] = [
    ["importMs", "import ms"],
    ["getMs", "ms/GET"],
    ["listMs", "list ms"],
    ["peakMiB", "list peak MiB"],
    ["heldMiB", "list held MiB"],
  ];
  const base = medians(results.get(peer) ?? []);
  const lines = [...results].map(([name, runs]) => {
    const values = medians(runs);
    return [
      name.padEnd(30),
      ...columns.map(([column, title]) => {
        const ratio = (values[column] / base[column]).toFixed(2);
        return `${values[column].toFixed(2)} (×${ratio})`.padStart(Math.max(title.length, 18));
      }),
    ].join("  ");
  });
  const header = ["".padEnd(30), ...columns.map(([, title]) => title.padStart(18))].join("  ");
  const [{ items } = { items: 0 }] = results.get(peer) ?? [];
  process.stdout.write(
    [
      `list: ${items} pods, ${(listBytes / 2 ** 20).toFixed(0)} MiB; medians of ${rounds * 2} processes each`,
      header,
      ...lines,
      "",
    ].join("\n"),
  );
}

function medians(runs: readonly Result[]): Result {
  const median = (column: keyof Result): number => {
    const sorted = runs.map((run) => run[column]).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  return {
    importMs: median("importMs"),
    getMs: median("getMs"),
    listMs: median("listMs"),
    heldMiB: median("heldMiB"),
    peakMiB: median("peakMiB"),
    items: median("items"),
  };
}

function kubeconfigFor(port: number): string {
  const ca = here("../../packages/client/src/testing/certificates/ca.pem");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "bench",
    clusters: [
      { name: "bench", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": ca } },
    ],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
    users: [{ name: "bench", user: { token: "token" } }],
  });
}
