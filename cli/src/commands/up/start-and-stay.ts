import { once } from "node:events";
import type { Clock } from "@kedge/machinery";
import { dirOption, type ClusterFolder } from "../../cluster/cluster-folder.ts";
import type { FolderLock } from "../../cluster/folder-lock.ts";
import { tellStarter } from "../../cluster/part-messages.ts";
import { describeProcess, forgetRunning, saveRunning } from "../../cluster/running-processes.ts";
import { createSupervisor } from "../../cluster/supervisor.ts";
import type { KedgeContext } from "../../context.ts";
import { keepCompiled } from "../../keep-compiled.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { createTimeOfDay } from "../../terminal/time-of-day.ts";
import type { UpFlags } from "./flags.ts";
import { runStarter } from "./run-starter.ts";

/** What staying takes. */
export interface StayOptions {
  readonly context: KedgeContext;
  readonly flags: UpFlags;
  readonly folder: ClusterFolder;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly lock: FolderLock;
}

/**
 * Has the cluster started, watches its parts, shows what happens in it, and stops it when a signal says so. This is what
 * stays of `kedge up`: it loads next to nothing, and leaves the start to a process that ends.
 */
export async function startAndStay(options: StayOptions): Promise<void> {
  const { context, flags, folder, terminal, clock, lock } = options;
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error("stopped before it was ready"));
  process.once("SIGINT", stop).once("SIGTERM", stop).once("SIGHUP", stop);
  const { signal } = stopping;
  await saveRunning(folder, [describeProcess("supervisor", process.pid)]);
  let ready = false;
  const timeOfDay = createTimeOfDay();
  const supervisor = createSupervisor({
    folder,
    clock,
    onTrouble: (message) => terminal.print(`${terminal.style("yellow", "!")} ${message}\n`),
    onChange: (what) => {
      if (ready) terminal.print(`${terminal.style("dim", timeOfDay(clock.now()))}  ${what}\n`);
    },
  });
  const takeDown = async (): Promise<void> => {
    await supervisor.stop();
    const { takeDown: removeRest } = await import("./take-down.ts");
    await removeRest({ folder, clock, env: context.process.env });
    await forgetRunning(folder);
    terminal.clear();
  };
  try {
    await runStarter({ ...options, supervisor, signal, background: process.send !== undefined });
  } catch (error) {
    terminal.waitFor("taking down what was started");
    await takeDown();
    throw error;
  }
  ready = true;
  lock.setRunning();
  using _compiled = keepCompiled(clock);
  tellStarter({ type: "ready" });
  if (process.connected) process.disconnect();
  if (!signal.aborted) await once(signal, "abort");
  terminal.waitFor("stopping");
  await takeDown();
  terminal.print(`Stopped. \`kedge up${dirOption(flags.dir)}\` starts it again with its data.\n`);
}
