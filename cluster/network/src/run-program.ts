import { spawn, type ChildProcess } from "node:child_process";
import type { Clock } from "@kedge/machinery";

/** How a program is run. */
export interface RunOptions {
  readonly clock: Clock;
  /** After this it is killed and the call rejects. Default: 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly cwd?: string;
  /** What it reads. Default: nothing. */
  readonly input?: string | undefined;
  /** Whether an exit code other than 0 is an answer too. Default: it rejects with what the program said. */
  readonly mayFail?: boolean;
}

/** What a program said. */
export interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end and gives back what it said. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramResult> {
  return options.clock.track(run(program, args, options));
}

async function run(program: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
  using limit = options.clock.deadline(options.timeoutMs ?? 30_000, options.signal);
  limit.signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd: options.cwd,
    stdio: "pipe",
    signal: limit.signal,
    killSignal: "SIGKILL",
  });
  const ended = exitCodeOf(child, limit.signal);
  const stdout: string[] = [];
  const stderr: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
  // A program that ends before it has read its input says why by itself.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input);
  const exitCode = await ended;
  const result = { exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
  if (exitCode === 0 || options.mayFail === true) return result;
  const said = result.stderr.trim() === "" ? result.stdout.trim() : result.stderr.trim();
  throw new Error(`${program} ${args[0] ?? ""} ended with exit code ${exitCode}: ${said.slice(-2000)}`);
}

/** Listens at once: a process that could not be made says so in an event, and has no streams. */
function exitCodeOf(child: ChildProcess, limit: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", (error) => reject(limit.aborted ? asError(limit.reason) : error));
  child.on("close", (code, signal) => {
    if (limit.aborted) reject(asError(limit.reason));
    else resolve(code ?? (signal === null ? 1 : 137));
  });
  promise.catch(() => undefined);
  return promise;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
