import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Clock } from "@kedge/machinery";
import type { TerminalSize } from "@kedge/machinery/streams";
import { ContainerError } from "./container-error.ts";
import type { ContainerFolders } from "./container-record.ts";
import { failureReason } from "./failure-reason.ts";
import { identify, markOf, type ProcessIdentity } from "./processes.ts";

/** What a monitor is started with. */
export interface MonitorOptions {
  readonly id: string;
  readonly folders: ContainerFolders;
  readonly programs: {
    readonly runc: string;
    readonly conmon: string;
    readonly unshare: string;
    readonly mount: string;
  };
  /** Options of the overlay that is the container's root, and where it is mounted. */
  readonly overlay: string;
  readonly root: string;
  readonly logPath: string;
  readonly terminal: boolean;
  readonly stdin: "once" | "always" | undefined;
  readonly clock: Clock;
}

/** The processes of a container that was made. */
export interface Monitored {
  readonly process: ProcessIdentity;
  readonly monitor: ProcessIdentity | undefined;
}

/**
 * Starts `conmon`, which makes the container with runc, writes its log, outlives this process, and leaves the exit code
 * in a file. Resolves when the container is made; it does not run yet.
 */
export function startMonitor(options: MonitorOptions): Promise<Monitored> {
  return options.clock.track(start(options));
}

/**
 * Beyond this many bytes conmon itself begins anew, and what was written is lost. Logs are rotated long before; this is
 * for those that grow faster than that, or while no agent runs.
 */
const longestLog = 50 << 20;

/** Tells conmon by its control pipe to open its log again. Rejects when nobody listens there. */
export async function reopenLog(pipe: string): Promise<void> {
  // The two numbers are only for other kinds of messages.
  await tell(pipe, "2 0 0\n");
}

/** Tells conmon the size of the container's terminal. Rejects when nobody listens there. */
export async function resizeTerminal(pipe: string, { columns, rows }: TerminalSize): Promise<void> {
  await tell(pipe, `1 ${rows} ${columns}\n`);
}

async function tell(pipe: string, message: string): Promise<void> {
  const file = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    await file.write(message);
  } finally {
    await file.close();
  }
}

async function start(options: MonitorOptions): Promise<Monitored> {
  const { id, clock, folders } = options;
  using limit = clock.deadline(60_000);
  const [program = "", ...args] = inOwnNamespace(options);
  const said = await open(join(folders.bundle(id), "monitor.log"), "w");
  const child = spawn(program, args, {
    cwd: folders.bundle(id),
    // Of its own: an interrupt at the terminal is meant for Kedge, not for containers.
    detached: true,
    // Conmon says on the last one how the making went.
    stdio: ["ignore", "ignore", said.fd, "pipe"],
    env: {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      _OCI_SYNCPIPE: "3",
      ...markOf(folders.root),
    },
    signal: limit.signal,
  });
  const failed = new Promise<never>((_resolve, reject) => {
    child.on("error", (error) => {
      reject(new ContainerError("CREATE_FAILED", `conmon could not be run: ${error.message}`));
    });
  });
  failed.catch(() => undefined);
  await said.close();
  const answer = child.stdio[3];
  if (!(answer instanceof Readable))
    throw new ContainerError("CREATE_FAILED", "conmon has no pipe to answer");
  const { pid, message } = await Promise.race([readAnswer(answer), failed]);
  const process = pid > 0 ? identify(pid) : undefined;
  if (process === undefined) {
    const why = message === "" ? await readFile(join(folders.bundle(id), "monitor.log"), "utf8") : message;
    throw new ContainerError("CREATE_FAILED", failureReason(why));
  }
  return { process, monitor: await identifyFrom(join(folders.bundle(id), "monitor.pid")) };
}

/**
 * The container's root is mounted in a mount namespace of the monitor's own. It goes away with the monitor, so that the
 * machine never has a mount that somebody would have to clean up; unmounting on the machine still reaches into it.
 */
function inOwnNamespace(options: MonitorOptions): readonly string[] {
  const { unshare, mount, conmon } = options.programs;
  const script = '"$1" -t overlay -o "$2" overlay "$3" && shift 3 && exec "$@"';
  const shell = ["/bin/sh", "-c", script, "sh", mount, options.overlay, options.root];
  return [unshare, "--mount", "--propagation", "slave", ...shell, conmon, ...monitorArguments(options)];
}

function monitorArguments(options: MonitorOptions): readonly string[] {
  const { id, folders } = options;
  const bundle = folders.bundle(id);
  const flags = {
    "--api-version": "1",
    "--cid": id,
    "--cuuid": id,
    "--name": id,
    "--runtime": options.programs.runc,
    "--bundle": bundle,
    "--persist-dir": bundle,
    "--container-pidfile": join(bundle, "pid"),
    "--conmon-pidfile": join(bundle, "monitor.pid"),
    "--log-path": `k8s-file:${options.logPath}`,
    "--log-size-max": String(longestLog),
    "--log-level": "error",
    "--exit-dir": folders.exits,
    "--socket-dir-path": folders.sockets,
  };
  const forRunc = ["--root", folders.runc].flatMap((word) => ["--runtime-arg", word]);
  const terminal = options.terminal ? ["--terminal"] : [];
  const stdin = options.stdin === undefined ? [] : ["--stdin"];
  const leftOpen = options.stdin === "always" ? ["--leave-stdin-open"] : [];
  return [...Object.entries(flags).flat(), ...forRunc, "--full-attach", ...terminal, ...stdin, ...leftOpen];
}

/** One line of JSON: the process' number, or one below 1 and what runc said. */
async function readAnswer(pipe: Readable): Promise<{ readonly pid: number; readonly message: string }> {
  let text = "";
  for await (const chunk of pipe.setEncoding("utf8")) {
    text += String(chunk);
    if (text.endsWith("\n")) break;
  }
  pipe.destroy();
  const answer: unknown = text.trim() === "" ? {} : JSON.parse(text);
  if (typeof answer !== "object" || answer === null) return { pid: 0, message: text };
  const pid = "data" in answer && typeof answer.data === "number" ? answer.data : 0;
  const message = "message" in answer && typeof answer.message === "string" ? answer.message : "";
  return { pid, message };
}

/** What runc said last, without its time and level. */
async function identifyFrom(file: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trim() === "" ? undefined : identify(Number(text.trim()));
}
