import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { bundled, kedge, userEnvironment } from "./launcher.ts";
import { cpuMsOf, memoryOf } from "./processes.ts";
import { median } from "./table.ts";

/** What one start took. */
export interface ControlPlaneStart {
  readonly startMs: number;
  readonly cpuMs: number;
  readonly memoryMiB: number;
}

const rounds = 3;
/** Both go on with their start after the first request: memory is what they have then. */
const settleMs = 3000;
const clock = realClock;

/** Both, in turns (ABBA); the median of each figure. */
export async function measureControlPlanes(): Promise<Record<"kedge" | "peer", ControlPlaneStart>> {
  const dir = mkdtempSync(join(tmpdir(), "kedge-bench-"));
  try {
    // Makes certificates, as the peer's are made before the clock starts.
    kedge("up", "--detach", "--no-operators", "--dir", dir);
    kedge("down", "--dir", dir);
    const ours: ControlPlaneStart[] = [];
    const theirs: ControlPlaneStart[] = [];
    await startOurs(dir);
    for (let round = 0; round < rounds; round++) {
      theirs.push(await startPeer());
      ours.push(await startOurs(dir), await startOurs(dir));
      theirs.push(await startPeer());
    }
    return { kedge: medians(ours), peer: medians(theirs) };
  } finally {
    kedge("down", "--purge", "--dir", dir);
    rmSync(dir, { recursive: true, force: true });
  }
}

async function startOurs(dir: string): Promise<ControlPlaneStart> {
  const { path, compileCache } = bundled("server.js");
  const began = clock.monotonic();
  const child = spawn(process.execPath, ["--max-semi-space-size=4", path, dir], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { ...userEnvironment, NODE_COMPILE_CACHE: compileCache },
  });
  return await measure(child, { kubeconfig: join(dir, "kubeconfig"), pids: [child.pid ?? 0], began });
}

/** The time counts from the start of its first program. */
async function startPeer(): Promise<ControlPlaneStart> {
  const program = fileURLToPath(new URL("../../e2e/real/serve-oracle.ts", import.meta.url));
  const child = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [told] = (await once(child, "message")) as [{ kubeconfig: string; pids: number[]; began: number }];
  return await measure(child, { ...told, began: clock.monotonic() - (clock.now() - told.began) });
}

interface Starting {
  readonly kubeconfig: string;
  readonly pids: readonly number[];
  readonly began: number;
}

async function measure(
  child: ChildProcess,
  { kubeconfig, pids, began }: Starting,
): Promise<ControlPlaneStart> {
  const ended = once(child, "exit");
  const config = await loadKubeconfig({ env: {}, clock, path: kubeconfig });
  await listening(Number(new URL(config.server).port));
  const client = connect(config, { clock });
  try {
    await firstEvent(client);
    const startMs = clock.monotonic() - began;
    const sum = (of: (pid: number) => number): number => pids.reduce((total, pid) => total + of(pid), 0);
    const cpuMs = sum(cpuMsOf);
    await clock.sleep(settleMs);
    const memoryMiB = sum((pid) => memoryOf(pid).privateMiB + memoryOf(pid).sharedMiB);
    return { startMs, cpuMs, memoryMiB };
  } finally {
    await client.close();
    child.disconnect();
    await ended;
  }
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connectTcp(port, "127.0.0.1");
    const open = await new Promise<boolean>((done) => {
      socket.once("connect", () => done(true)).once("error", () => done(false));
    });
    socket.destroy();
    if (open) return;
    await clock.sleep(2);
  }
}

/** Creates an object, and waits for the watch to tell of it. */
async function firstEvent(client: Client): Promise<void> {
  const maps = client.of(ConfigMap);
  const made = await maps.create({
    metadata: { namespace: "default", generateName: "first-" },
    data: { key: "value" },
  });
  for await (const event of maps.watch({
    namespace: "default",
    fieldSelector: `metadata.name=${made.metadata.name}`,
  })) {
    if (event.type === "ADDED" && event.object.metadata.uid === made.metadata.uid) return;
  }
}

function medians(starts: readonly ControlPlaneStart[]): ControlPlaneStart {
  return {
    startMs: median(starts.map(({ startMs }) => startMs)),
    cpuMs: median(starts.map(({ cpuMs }) => cpuMs)),
    memoryMiB: median(starts.map(({ memoryMiB }) => memoryMiB)),
  };
}
