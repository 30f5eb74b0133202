import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import type { ClusterFolder } from "./cluster-folder.ts";
import { launchPart, type Role } from "./launch-part.ts";
import { logLength, logTail } from "./log-tail.ts";
import { describeProcess, saveRunning, type RunningProcess } from "./running-processes.ts";

/** Starts the parts of a cluster as processes, starts those again that fail, and stops them. */
export interface Supervisor {
  /** Resolves when the part says that it is ready; rejects when it ends before, with the end of its log. */
  start(role: Role): Promise<void>;
  /** Stops all, the last started first. None is started any more. */
  stop(): Promise<void>;
}

/** What a supervisor works with. */
export interface SupervisorOptions {
  readonly folder: ClusterFolder;
  readonly clock: Clock;
  /** Added to the environment of the parts. */
  readonly env: Readonly<Record<string, string>>;
  /** Told when a part ended by itself, and when it is back. */
  readonly onTrouble: (message: string) => void;
}

const startPatience = 60_000;
const stopPatience = 40_000;
const shortestPause = 1000;
const longestPause = 30_000;

/** A supervisor for the cluster in a folder. */
export function createSupervisor({ folder, clock, env, onTrouble }: SupervisorOptions): Supervisor {
  const children = new Map<Role, ChildProcess>();
  const stopping = new AbortController();
  mkdirSync(folder.logs, { recursive: true });

  let writing = Promise.resolve();
  const write = async (): Promise<void> => {
    const processes: RunningProcess[] = [describeProcess("supervisor", process.pid)];
    for (const [role, { pid }] of children) if (pid !== undefined) processes.push(describeProcess(role, pid));
    await saveRunning(folder, processes);
  };
  // One after the other: parts may be started at the same time.
  const remember = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write);
    return writing;
  };

  const start = async (role: Role): Promise<void> => {
    stopping.signal.throwIfAborted();
    const log = join(folder.logs, `${role}.log`);
    const from = logLength(log);
    const child = launchPart(role, { folder, log, env });
    children.set(role, child);
    await remember();
    const problem = await whyNotReady(child, clock);
    if (problem !== undefined)
      throw new Error([`${role} ${problem}. From ${log}:`, ...logTail(log, from)].join("\n  "));
    child.once("exit", (code, signal) => {
      if (stopping.signal.aborted) return;
      onTrouble(
        `${role} ended by itself (${signal ?? `code ${code}`}) and is started again. Its log: ${log}`,
      );
      void again(role, shortestPause);
    });
  };

  const again = async (role: Role, pause: number): Promise<void> => {
    try {
      await clock.sleep(pause, stopping.signal);
      await start(role);
      onTrouble(`${role} is back`);
    } catch (error) {
      if (stopping.signal.aborted) return;
      onTrouble(error instanceof Error ? error.message : String(error));
      await again(role, Math.min(pause * 2, longestPause));
    }
  };

  return {
    start,
    async stop() {
      stopping.abort(new Error("the cluster is being stopped"));
      for (const child of [...children.values()].toReversed()) await end(child, clock);
    },
  };
}

async function whyNotReady(child: ChildProcess, clock: Clock): Promise<string | undefined> {
  using limit = clock.deadline(startPatience);
  const { signal } = limit;
  const ended = once(child, "exit", { signal }).then(() => "could not start");
  const said = once(child, "message", { signal }).then(() => undefined);
  for (const outcome of [ended, said]) outcome.catch(() => undefined);
  try {
    return await Promise.race([said, ended]);
  } catch (error) {
    child.kill("SIGKILL");
    return signal.aborted
      ? `was not ready after ${startPatience / 1000} s`
      : `could not start: ${String(error)}`;
  }
}

async function end(child: ChildProcess, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  using limit = clock.deadline(stopPatience);
  limit.signal.addEventListener("abort", () => child.kill("SIGKILL"));
  await ended;
}
