import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Clock } from "@kedge/machinery";
import type { ClusterFolder } from "./cluster-folder.ts";
import { describeProcess, forgetRunning, saveRunning, type RunningProcess } from "./running-processes.ts";

/** Starts the parts of a cluster as processes, starts those again that fail, and stops them. */
export interface Supervisor {
  /** Resolves when the part says that it is ready; rejects when it ends before, with the end of its log. */
  start(role: Role): Promise<void>;
  /** Stops all, the last started first. */
  stop(): Promise<void>;
}

/** The parts, in the order of their start. */
export type Role = "server" | "node" | "operator";

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
const restartPause = 1000;

/** A supervisor for the cluster in a folder. */
export function createSupervisor({ folder, clock, env, onTrouble }: SupervisorOptions): Supervisor {
  const children = new Map<Role, ChildProcess>();
  let stopping = false;
  mkdirSync(folder.logs, { recursive: true });

  const remember = async (): Promise<void> => {
    const processes: RunningProcess[] = [describeProcess("supervisor", process.pid)];
    for (const [role, { pid }] of children) if (pid !== undefined) processes.push(describeProcess(role, pid));
    await saveRunning(folder, processes);
  };

  const start = async (role: Role): Promise<void> => {
    const log = join(folder.logs, `${role}.log`);
    const child = launch(role, folder, { log: openSync(log, "a"), env });
    children.set(role, child);
    await remember();
    await ready(child, role, log);
    child.once("exit", (code, signal) => {
      if (stopping) return;
      onTrouble(`${role} ended by itself (${signal ?? `code ${code}`}); starting it again. Its log: ${log}`);
      void again(role);
    });
  };

  const again = async (role: Role): Promise<void> => {
    await clock.sleep(restartPause);
    if (stopping) return;
    try {
      await start(role);
      onTrouble(`${role} is back`);
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : String(error));
      await again(role);
    }
  };

  const ready = async (child: ChildProcess, role: Role, log: string): Promise<void> => {
    using limit = clock.deadline(startPatience);
    const ended = once(child, "exit", { signal: limit.signal });
    const said = once(child, "message", { signal: limit.signal });
    try {
      const first = await Promise.race([said.then(() => "ready"), ended.then(() => "ended")]);
      if (first === "ready") return;
    } catch (cause) {
      child.kill("SIGKILL");
      throw new Error(`${role} was not ready after ${startPatience / 1000} s. Its log: ${log}`, { cause });
    } finally {
      for (const waiting of [ended, said]) waiting.catch(() => undefined);
    }
    throw new Error(`${role} could not start. Its log: ${log}`);
  };

  const end = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    using limit = clock.deadline(stopPatience);
    limit.signal.addEventListener("abort", () => child.kill("SIGKILL"));
    await ended;
  };

  return {
    start,
    async stop() {
      stopping = true;
      for (const child of [...children.values()].toReversed()) await end(child);
      await forgetRunning(folder);
    },
  };
}

/** Parts are programs of ours; the operator is a command that users have, too. */
function launch(
  role: Role,
  folder: ClusterFolder,
  { log, env }: { readonly log: number; readonly env: Readonly<Record<string, string>> },
): ChildProcess {
  const source = resolve(import.meta.dirname, "..");
  const program =
    role === "operator"
      ? [
          join(source, "main.ts"),
          "operator",
          "--kubeconfig",
          join(folder.certificates, "operator.kubeconfig"),
          "--health-port",
          "0",
          "--metrics-port",
          "0",
        ]
      : [join(source, "parts", `${role}.ts`), folder.path];
  const child = spawn(process.execPath, [...process.execArgv, ...program], {
    stdio: ["ignore", log, log, "ipc"],
    env: { ...process.env, ...env },
    // A Ctrl-C on the terminal is for the supervisor, which stops its parts in order.
    detached: true,
  });
  closeSync(log);
  return child;
}
