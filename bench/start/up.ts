import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { realClock } from "@kedge/machinery";
import { kedge, startKedge } from "./launcher.ts";
import { cpuMsOf, memoryOf, type Memory } from "./processes.ts";
import { median } from "./table.ts";

/** How far a start was, and the processor time that each process had used by then. */
export interface Step {
  readonly name: string;
  readonly atMs: number;
  readonly cpuMs: ReadonlyMap<string, number>;
}

interface UpStart {
  readonly steps: readonly Step[];
  readonly memory: readonly (Memory & { readonly role: string })[];
}

/** The start in the middle, and how long each took. */
export interface UpStarts extends UpStart {
  readonly roles: readonly string[];
  readonly allMs: readonly number[];
  readonly medianMs: number;
}

const rounds = 5;
const clock = realClock;

/** Starts new clusters, one after the other. */
export async function measureUp(): Promise<UpStarts> {
  const starts: UpStart[] = [];
  for (let round = 0; round < rounds; round++) starts.push(await measureOne());
  const msOf = ({ steps }: UpStart): number => steps.at(-1)?.atMs ?? Number.NaN;
  const allMs = starts.map(msOf);
  const medianMs = median(allMs);
  const middle = starts.find((start) => msOf(start) === medianMs) ?? { steps: [], memory: [] };
  return { ...middle, roles: middle.memory.map(({ role }) => role), allMs, medianMs };
}

async function measureOne(): Promise<UpStart> {
  const dir = mkdtempSync(join(tmpdir(), "kedge-bench-"));
  try {
    const began = clock.monotonic();
    const up = startKedge("up", "--dir", dir);
    const ended = once(up, "exit");
    const steps: Step[] = [];
    for await (const line of createInterface(up.stdout)) {
      // The line of the sample is printed when its Redis has answered.
      const [, name] = /^✓ (.{14})/u.exec(line) ?? [];
      if (name === undefined) continue;
      const cpuMs = new Map(processesOf(dir).map(({ role, pid }) => [role, cpuMsOf(pid)]));
      steps.push({ name: name.trim(), atMs: clock.monotonic() - began, cpuMs });
      if (name.startsWith("RedisInstance")) break;
    }
    await clock.sleep(3000);
    const memory = processesOf(dir).map(({ role, pid }) => ({ role, ...memoryOf(pid) }));
    up.kill("SIGTERM");
    await ended;
    return { steps, memory };
  } finally {
    kedge("down", "--purge", "--dir", dir);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Those that the supervisor remembers. */
function processesOf(dir: string): readonly { readonly role: string; readonly pid: number }[] {
  return JSON.parse(readFileSync(join(dir, "running.json"), "utf8")) as { role: string; pid: number }[];
}
