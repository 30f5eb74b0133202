import { spawn } from "node:child_process";
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

/** What starts the CLI from source: program and first arguments. */
export const cliCommand = [
  process.execPath,
  "--conditions=kedge-source",
  "--disable-warning=ExperimentalWarning",
  resolve(root, "cli/src/main.ts"),
] as const;

const patience = 240_000;

/** Runs a command of the CLI to its end. */
export async function runCli(args: readonly string[], cwd: string): Promise<CliResult> {
  const [program, ...first] = cliCommand;
  using limit = realClock.deadline(patience);
  const child = spawn(program, [...first, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    signal: limit.signal,
  });
  const ended = new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
