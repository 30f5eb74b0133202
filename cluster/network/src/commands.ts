import { spawn, type ChildProcess } from "node:child_process";
import type { Clock } from "@kedge/machinery";
import { NetworkError } from "./network-error.ts";

/** The programs that change the machine's network. */
export interface NetworkPrograms {
  /** Path or name of iproute2's `ip`. */
  readonly ip: string;
  /** Path or name of nftables' `nft`. */
  readonly nft: string;
}

/** Runs `ip` and `nft`, each call with a deadline. Rejects with a `NetworkError` that has what the program said. */
export interface NetworkCommands {
  ip(...args: readonly string[]): Promise<string>;
  /** Lines of `ip` as one process; stops at the first that fails. */
  ipBatch(lines: readonly string[], namespace?: string): Promise<void>;
  /** A ruleset, all of it or nothing. */
  nft(ruleset: string): Promise<void>;
  nftQuery(...args: readonly string[]): Promise<string>;
}

const deadline = 15_000;

/** Commands by the machine's own programs. */
export function createCommands(programs: NetworkPrograms, clock: Clock): NetworkCommands {
  const run = (program: string, args: readonly string[], input?: string): Promise<string> =>
    clock.track(runProgram({ program, args, input, clock }));
  return {
    ip: (...args) => run(programs.ip, args),
    async ipBatch(lines, namespace) {
      const inside = namespace === undefined ? [] : ["-n", namespace];
      await run(programs.ip, [...inside, "-batch", "-"], `${lines.join("\n")}\n`);
    },
    async nft(ruleset) {
      await run(programs.nft, ["-f", "-"], ruleset);
    },
    nftQuery: (...args) => run(programs.nft, args),
  };
}

interface Run {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string | undefined;
  readonly clock: Clock;
}

async function runProgram({ program, args, input, clock }: Run): Promise<string> {
  using limit = clock.deadline(deadline);
  const child = spawn(program, args, { stdio: "pipe", signal: limit.signal });
  const what = [program, ...args].join(" ");
  const ended = exitCodeOf(child, what);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A program that ends before it has read its input says why by itself.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await ended;
  if (code === 0) return Buffer.concat(stdout).toString();
  throw new NetworkError(`${what}: ${Buffer.concat(stderr).toString().trim() || `ended with ${code}`}`);
}

/** Listens at once: a process that could not be made says so in an event, and has no streams. */
function exitCodeOf(child: ChildProcess, what: string): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on("error", (cause) => {
    reject(new NetworkError(`${what}: could not be run: ${cause.message}`, { cause }));
  });
  child.once("close", resolve);
  promise.catch(() => undefined);
  return promise;
}
