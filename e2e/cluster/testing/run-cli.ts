import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { realClock } from "@kedge/machinery";

/** How a command of the CLI ended. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The workspace. */
export const root = resolve(import.meta.dirname, "../../..");

/** What starts the CLI as users do: from a bundle. */
export const cliProgram = resolve(root, "kedge");

// The first start after an edit makes the bundle, and says so: what is looked at starts without a word.
spawnSync(cliProgram, ["version"]);

const patience = 240_000;

/** A command that runs. */
export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
}

/** Runs a command of the CLI to its end. */
export async function runCli(args: readonly string[], cwd: string): Promise<CliResult> {
  return await startCli(args, cwd).ended;
}

/** Starts one. */
export function startCli(args: readonly string[], cwd: string): RunningCli {
  const limit = realClock.deadline(patience);
  const child = spawn(cliProgram, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    signal: limit.signal,
  });
  const exited = new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
  const ended = (async () => {
    using _ = limit;
    const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  })();
  return { child, ended };
}
