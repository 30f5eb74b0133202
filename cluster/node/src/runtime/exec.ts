import { spawn, type ChildProcessByStdio } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { inBackground, type Clock } from "@kedge/machinery";
import { ContainerError } from "./container-error.ts";
import type { ContainerFolders } from "./container-record.ts";
import { execStart, processNumber, type ExecStart } from "./exec-start.ts";
import { createTerminal } from "./exec-terminal.ts";
import type { OciConfig, OciProcess } from "./oci-config.ts";
import { identify, markOf, signalProcess } from "./processes.ts";
import type { ExecCommand, ExecProcess } from "./types.ts";

/** Where and with what a command is run. */
export interface ExecOptions {
  readonly id: string;
  /** The container's folder. */
  readonly bundle: string;
  /** How the names of its own files begin. They lie outside of the container's folder, which may be removed first. */
  readonly files: string;
  readonly command: ExecCommand;
  readonly programs: { readonly runc: string; readonly script: string; readonly stty: string };
  readonly folders: ContainerFolders;
  readonly clock: Clock;
}

/** Runs a command in a container by `runc exec`. */
export async function execInContainer(options: ExecOptions): Promise<ExecProcess> {
  const { bundle, command, clock } = options;
  const files = {
    process: `${options.files}.json`,
    pid: `${options.files}.pid`,
    log: `${options.files}.log`,
    terminal: `${options.files}.tty`,
  };
  command.signal?.throwIfAborted();
  await writeFile(files.process, JSON.stringify(await execProcess(bundle, command)), { mode: 0o600 });
  const log = ["--log", files.log, "--log-format", "json"];
  const what = ["--process", files.process, "--pid-file", files.pid, options.id];
  const run = [options.programs.runc, "--root", options.folders.runc, ...log, "exec", ...what];
  const terminal = createTerminal({ file: files.terminal, ...options.programs, clock });
  const [program = "", ...args] = command.tty ? terminal.around(run) : run;
  // Who asked may have gone while the file was written: then nobody would ever end the command.
  if (command.signal?.aborted === true) await rm(files.process, { force: true });
  command.signal?.throwIfAborted();
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...processEnvironment, ...markOf(options.folders.root) },
  });
  const code = exitCodeOf(child);
  const start = execStart(child, files.pid, clock);
  // Who writes to a command that has ended gets no answer, which is no fault of ours.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);

  const kill = (): void => {
    inBackground(clock.track(killCommand(child, files.pid, clock)), () => child.kill("SIGKILL"));
  };
  command.signal?.addEventListener("abort", kill, { once: true });
  const awaitExit = async (): Promise<{ readonly exitCode: number }> => {
    try {
      return await exitOf(code, start, files.log);
    } finally {
      command.signal?.removeEventListener("abort", kill);
      await Promise.all(Object.values(files).map((file) => rm(file, { force: true })));
    }
  };
  const exit = clock.track(awaitExit());
  // It may be that nobody asks how it ended.
  exit.catch(() => undefined);
  return {
    stdin: child.stdin,
    // On a terminal it is the way of both.
    stdout: command.tty ? start.outputOf(child.stdout) : child.stdout,
    stderr: command.tty ? child.stderr.pipe(emptied()) : start.outputOf(child.stderr),
    exit,
    resize: async (size) => {
      if (command.tty && child.exitCode === null) await terminal.resize(size);
    },
    kill,
  };
}

/** `script` takes its shell from the environment, `runc` needs nothing of it. */
const processEnvironment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  SHELL: "/bin/sh",
  TERM: "xterm",
};

/** As the container's own first process, with another command. */
async function execProcess(bundle: string, command: ExecCommand): Promise<OciProcess> {
  // Only oci-config.ts writes this file.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { process } = JSON.parse(await readFile(join(bundle, "config.json"), "utf8")) as OciConfig;
  const more = { ...(command.tty ? { TERM: "xterm" } : {}), ...command.environment };
  const names = new Set(Object.keys(more));
  const kept = process.env.filter((line) => !names.has(line.slice(0, line.indexOf("="))));
  const env = [...kept, ...Object.entries(more).map(([name, value]) => `${name}=${value}`)];
  return { ...process, args: command.command, terminal: command.tty, env };
}

/** 128 and the number of SIGKILL. */
const killedCode = 137;

type ExecChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** Listens at once: a process that could not be made says so in an event, and has no streams. */
function exitCodeOf(child: ExecChild): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("close", (code) => resolve(code ?? killedCode));
  promise.catch(() => undefined);
  return promise;
}

async function exitOf(
  code: Promise<number>,
  start: ExecStart,
  logFile: string,
): Promise<{ readonly exitCode: number }> {
  const exitCode = await code;
  // Of a command that was not started the exit code is runc's own.
  if ((await start.atExit) || exitCode === killedCode) return { exitCode };
  const log = await readFile(logFile, "utf8").catch(() => "");
  throw new ContainerError(
    "EXEC_FAILED",
    lastMessage(log) ?? `the command did not start (runc: ${exitCode})`,
  );
}

function lastMessage(log: string): string | undefined {
  const lines = log.split("\n").filter((line) => line.startsWith("{"));
  const messages = lines.flatMap((line) => /"msg":("(?:[^"\\]|\\.)*")/u.exec(line)?.[1] ?? []);
  const last = messages.at(-1);
  return last === undefined ? undefined : String(JSON.parse(last));
}

/** Milliseconds that runc may take to start a command, on a busy machine. */
const longestStart = 60_000;

/**
 * The command itself has to be killed: runc cannot pass a kill on, and without runc the command would go on. Its number
 * comes a moment after its start.
 */
async function killCommand(child: ExecChild, pidFile: string, clock: Clock): Promise<void> {
  const end = clock.monotonic() + longestStart;
  while (child.exitCode === null && child.signalCode === null) {
    const pid = await processNumber(pidFile);
    const command = pid === undefined ? undefined : identify(pid);
    if (command !== undefined) return signalProcess(command, "SIGKILL");
    if (clock.monotonic() > end) return void child.kill("SIGKILL");
    await clock.sleep(10);
  }
}

/** With a terminal there is one stream; what `script` itself might say is not the command's. */
function emptied(): PassThrough {
  return new PassThrough({ transform: (_chunk, _encoding, done) => done() });
}
