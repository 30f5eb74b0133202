/**
 * Our API server, over its durable store, against etcd and kube-apiserver: each in processes of its own, asked by the
 * same client over HTTPS, in one run. Rounds alternate (ABBA) and medians are compared, so that a busy machine hits both
 * alike. The peer is the control plane that `./kedge test real` builds.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";

interface Result {
  readonly startMs: number;
  readonly createMs: number;
  readonly parallelMs: number;
  readonly getMs: number;
  readonly listMs: number;
  readonly watchMs: number;
  readonly memoryMiB: number;
}

const columns: readonly (readonly [keyof Result, string])[] = [
  ["startMs", "start ms"],
  ["createMs", "ms/create"],
  ["parallelMs", "ms/create, 50 at once"],
  ["getMs", "ms/GET"],
  ["listMs", "list ms"],
  ["watchMs", "write to event ms"],
  ["memoryMiB", "memory MiB"],
];
const rounds = 2;
const peer = "etcd and kube-apiserver";
const programs = new Map([
  [peer, "../../e2e/real/serve-oracle.ts"],
  ["kedge", "ours.ts"],
]);

const results = new Map<string, Result[]>([...programs.keys()].map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, program] of [...programs, ...[...programs].toReversed()]) {
    results.get(name)?.push(await measure(program));
  }
}
report();

async function measure(program: string): Promise<Result> {
  const began = now();
  const server = fork(fileURLToPath(new URL(program, import.meta.url)), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(server, "exit");
  const [{ kubeconfig, pids }] = (await once(server, "message")) as [{ kubeconfig: string; pids: number[] }];
  const clock = realClock;
  const client = connect(await loadKubeconfig({ env: {}, clock, path: kubeconfig }), { clock });
  await client.getText("/readyz");
  const startMs = now() - began;
  try {
    const maps = client.of(ConfigMap);
    const draft = (name: string) => ({
      metadata: { namespace: "default", name },
      data: { key: "x".repeat(1000) },
    });
    await timed(50, (index) => maps.create(draft(`warm-${index}`)));
    const createMs = await timed(300, (index) => maps.create(draft(`one-${index}`)));
    const getMs = await timed(500, (index) => maps.get({ namespace: "default", name: `one-${index % 300}` }));
    const parallelBegan = now();
    await Promise.all(
      Array.from({ length: 50 }, (_, lane) =>
        timed(20, (index) => maps.create(draft(`many-${lane}-${index}`))),
      ),
    );
    const parallelMs = (now() - parallelBegan) / 1000;
    const listMs = await timed(10, () => maps.list({ namespace: "default", pageSize: 0 }).all());
    const watchMs = await writeToEvent(client);
    return { startMs, createMs, parallelMs, getMs, listMs, watchMs, memoryMiB: memoryOf(pids) };
  } finally {
    await client.close();
    server.disconnect();
    await ended;
  }
}

/** From sending a write to having its event. */
async function writeToEvent(client: Client): Promise<number> {
  const maps = client.of(ConfigMap);
  const seen = new Map<string, PromiseWithResolvers<void>>();
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  const watching = (async () => {
    const options = {
      namespace: "default",
      labelSelector: "bench=watch",
      sendInitialEvents: true,
      signal: stop.signal,
    };
    for await (const event of maps.watch(options)) {
      if (event.type === "BOOKMARK") ready.resolve();
      else seen.get(event.object.metadata.name)?.resolve();
    }
  })().catch(() => undefined);
  await ready.promise;
  const ms = await timed(100, async (index) => {
    const name = `watched-${index}`;
    const event = Promise.withResolvers<void>();
    seen.set(name, event);
    await maps.create({ metadata: { namespace: "default", name, labels: { bench: "watch" } } });
    await event.promise;
  });
  stop.abort();
  await watching;
  return ms;
}

/** Milliseconds for each of so many calls, one after the other. */
async function timed(count: number, call: (index: number) => Promise<unknown>): Promise<number> {
  const began = now();
  for (let index = 0; index < count; index++) await call(index);
  return (now() - began) / count;
}

function now(): number {
  return realClock.monotonic();
}

function memoryOf(pids: readonly number[]): number {
  const kib = pids.map((pid) => {
    const [, value = "0"] = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(value);
  });
  return kib.reduce((sum, one) => sum + one, 0) / 1024;
}

function report(): void {
  const base = medians(results.get(peer) ?? []);
  const lines = [...results].map(([name, runs]) => {
    const values = medians(runs);
    const cells = columns.map(([column, title]) => {
      const ratio = (values[column] / base[column]).toFixed(2);
      return `${values[column].toFixed(2)} (×${ratio})`.padStart(Math.max(title.length, 16));
    });
    return [name.padEnd(24), ...cells].join("  ");
  });
  const header = [
    "".padEnd(24),
    ...columns.map(([, title]) => title.padStart(Math.max(title.length, 16))),
  ].join("  ");
  process.stdout.write(
    [`ConfigMaps of 1 kB, list of 1350; medians of ${rounds * 2} servers each`, header, ...lines, ""].join(
      "\n",
    ),
  );
}

function medians(runs: readonly Result[]): Result {
  const median = (column: keyof Result): number =>
    runs.map((run) => run[column]).toSorted((one, other) => one - other)[Math.floor(runs.length / 2)] ??
    Number.NaN;
  return {
    startMs: median("startMs"),
    createMs: median("createMs"),
    parallelMs: median("parallelMs"),
    getMs: median("getMs"),
    listMs: median("listMs"),
    watchMs: median("watchMs"),
    memoryMiB: median("memoryMiB"),
  };
}
