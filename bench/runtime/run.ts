/**
 * Our runtime against controller-runtime: the same controller on the same server, each in a process of its own, turn by
 * turn (ABBA). The server is the real kube-apiserver. Without Go only our runtime is measured, on our own server.
 * Arguments: how many objects are read, and how many children are written. Default 50000 2000.
 */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock as clock } from "@kedge/machinery";
import { ConfigMap, Namespace } from "@kedge/machinery/kinds/core/v1";
import { buildPeers } from "./build-peers.ts";

interface Result {
  /** From the start of the program to the first run: the cache is full then. */
  readonly syncMs: number;
  readonly perSecond: number;
  /** Of the whole process. */
  readonly cpuMs: number;
  readonly rssMiB: number;
}

type Mode = "read" | "write";

const [objects = 50_000, children = 2000] = process.argv.slice(2).map(Number);
const counts: Readonly<Record<Mode, number>> = { read: objects, write: children };
const ours = "kedge";
const theirs = "controller-runtime";
const peers = await buildPeers();
if (!peers.ok) process.stdout.write(`only ours is measured, on our own API server: ${peers.reason}\n`);
const peer = peers.ok ? peers.program : undefined;
const serverProgram = peers.ok ? "../../e2e/real/serve-oracle.ts" : "../apiserver/ours.ts";

const server = fork(fileURLToPath(new URL(serverProgram, import.meta.url)), {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
const [{ kubeconfig }] = (await once(server, "message")) as [{ kubeconfig: string }];
const client = connect(await loadKubeconfig({ env: {}, clock, path: kubeconfig }), { clock });
await client.getText("/readyz");
process.stdout.write(
  `on ${peers.ok ? "the real kube-apiserver" : "our API server"}: ${objects} ConfigMaps read, ${children} children applied, 4 workers\n`,
);
for (const mode of ["read", "write"] as const) await fill(client, mode);
const results = new Map<string, Result[]>();
const subjects = peer === undefined ? [ours, ours] : [theirs, ours, ours, theirs];
for (const mode of ["read", "write"] as const) {
  for (const subject of subjects) {
    const key = `${mode} ${subject}`;
    results.set(key, [...(results.get(key) ?? []), await measure(subject, mode)]);
    if (mode === "write") await removeChildren(client);
  }
}
report();
await client.close();
const ended = once(server, "exit");
server.disconnect();
await ended;

async function measure(subject: string, mode: Mode): Promise<Result> {
  const selector = `bench=${mode}`;
  const count = String(counts[mode]);
  const program = fileURLToPath(new URL("ours.ts", import.meta.url));
  const flags = ["-kubeconfig", kubeconfig, "-selector", selector, "-count", count];
  const [file, args] =
    subject === ours || peer === undefined
      ? [process.execPath, [...process.execArgv, program, kubeconfig, selector, count, mode]]
      : [peer, mode === "write" ? [...flags, "-write"] : flags];
  const { stdout } = await promisify(execFile)(file, args);
  return JSON.parse(stdout) as Result;
}

/** Small objects, as most are. */
async function fill(api: Client, mode: Mode): Promise<void> {
  await api.of(Namespace).create({ metadata: { name: mode } });
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < counts[mode]; index = next++) {
      const metadata = { namespace: mode, name: `object-${index}`, labels: { bench: mode } };
      await api.of(ConfigMap).create({ metadata, data: { key: "x".repeat(100) } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

/** So that each subject makes what is not there yet. */
async function removeChildren(api: Client): Promise<void> {
  await api.of(ConfigMap).deleteCollection({ namespace: "write", labelSelector: "!bench" });
}

function report(): void {
  const rows: readonly (readonly [string, Mode, keyof Result])[] = [
    ["reconciles/s, no-op", "read", "perSecond"],
    ["reconciles/s, with a write", "write", "perSecond"],
    [`start and sync of ${objects}, ms`, "read", "syncMs"],
    ["CPU of it all, ms", "read", "cpuMs"],
    [`RSS with ${objects}, MiB`, "read", "rssMiB"],
  ];
  for (const [title, mode, column] of rows) {
    const [mine, other] = [ours, theirs].map((name) => bestOf(results.get(`${mode} ${name}`), column));
    const ratio = mine === undefined || other === undefined ? "" : `  ×${(mine / other).toFixed(2)}`;
    const texts = [mine, other].map((value) => (value === undefined ? "-" : value.toFixed(0)).padStart(10));
    process.stdout.write(`${title.padEnd(34)}${texts.join("")}${ratio}\n`);
  }
}

/** A busy machine only takes away. */
function bestOf(all: readonly Result[] | undefined, column: keyof Result): number | undefined {
  if (all === undefined) return undefined;
  const values = all.map((result) => result[column]);
  return column === "perSecond" ? Math.max(...values) : Math.min(...values);
}
