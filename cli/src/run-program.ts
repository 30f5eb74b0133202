import { spawn, type ChildProcess } from "node:child_process";

/** How a program ended: its exit code (null: by a signal), and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program of ours under this very Node.js until it ends, keeping what it prints on both streams. */
export async function captureNode(args: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  }
  const code = await ended(child);
  return { code, output: chunks.join("") };
}

/** The same for a program of ours from source, whose standard error is for the user to see as it comes. */
export async function askNode(args: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  const code = await ended(child);
  return { code, output: chunks.join("") };
}

/** Runs a program of ours from source under this very Node.js, on this very terminal, and gives its exit code. */
export function inheritNode(args: readonly string[], cwd: string): Promise<number | null> {
  return inheritProgram(process.execPath, [...process.execArgv, ...args], { cwd });
}

/** Runs a program of the machine on this very terminal, and gives its exit code. */
export function inheritProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<number | null> {
  return ended(spawn(program, args, { ...options, stdio: "inherit" }));
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
}
