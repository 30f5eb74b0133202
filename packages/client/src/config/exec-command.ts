import { spawn, type ChildProcess } from "node:child_process";
import type { Clock } from "@kedge/machinery";

/** A command to run for its output. */
export interface ExecCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Give it our standard input and error, so that it can talk to the user. */
  readonly interactive: boolean;
}

/** How a command ended. `stderr` is its last part, and empty when it went to the user. */
export type ExecEnd =
  | { readonly how: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly how: "killed"; readonly signal: string; readonly stdout: string; readonly stderr: string }
  | { readonly how: "stopped"; readonly by: AbortSignal; readonly stdout: string; readonly stderr: string }
  | { readonly how: "flooded"; readonly stdout: string; readonly stderr: string }
  | { readonly how: "not started"; readonly error: unknown };

/** Runs a command to its end, or until the signal is aborted: then it is stopped, with all that it started. */
export async function runExecCommand(
  command: ExecCommand,
  clock: Clock,
  signal: AbortSignal,
): Promise<ExecEnd> {
  return clock.track(run(command, clock, signal));
}

const mostStdout = 1024 * 1024;
const mostStderr = 64 * 1024;
/** Time between the polite signal and the other one, in milliseconds. */
const graceMs = 2000;

function run(command: ExecCommand, clock: Clock, signal: AbortSignal): Promise<ExecEnd> {
  const { promise, resolve } = Promise.withResolvers<ExecEnd>();
  let child: ChildProcess;
  try {
    child = start(command);
  } catch (error) {
    return Promise.resolve({ how: "not started", error });
  }
  const output = { stdout: "", stderr: "" };
  const stop = (end: ExecEnd): void => {
    stopAll(child, command, clock);
    resolve(end);
  };
  const onAbort = (): void => stop({ how: "stopped", by: signal, ...output });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
    if (output.stdout.length > mostStdout) stop({ how: "flooded", ...output });
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr = (output.stderr + text).slice(-mostStderr);
  });
  child.on("error", (error) => resolve({ how: "not started", error }));
  child.on("close", (code, by) => {
    resolve(
      code === null
        ? { how: "killed", signal: by ?? "unknown signal", ...output }
        : { how: "exited", code, ...output },
    );
  });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}

function start(command: ExecCommand): ChildProcess {
  return spawn(command.command, command.args, {
    env: command.env,
    stdio: command.interactive ? ["inherit", "pipe", "inherit"] : ["ignore", "pipe", "pipe"],
    detached: hasOwnGroup(command),
    windowsHide: true,
  });
}

/**
 * Plugins are often wrapper scripts. In a group of its own one can be stopped with its children, and a Ctrl-C that is
 * meant for us does not break the renewal that our orderly shutdown still needs. Only our own group has the terminal.
 */
function hasOwnGroup(command: ExecCommand): boolean {
  return !command.interactive && process.platform !== "win32";
}

function stopAll(child: ChildProcess, command: ExecCommand, clock: Clock): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const target = hasOwnGroup(command) ? -child.pid : child.pid;
  kill(target, "SIGTERM");
  const timer = clock.timer(graceMs, () => kill(target, "SIGKILL"));
  child.once("exit", () => timer.cancel());
}

function kill(target: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, signal);
  } catch {
    // It ended by itself in between.
  }
}
