import { spawn, type ChildProcess } from "node:child_process";
import { inBackground } from "@kedge/machinery";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import type { FolderLock } from "../../cluster/folder-lock.ts";
import { partMessage, tellProgress } from "../../cluster/part-messages.ts";
import { partMark } from "../../cluster/part-programs.ts";
import { startRequest, type StartAnswer, type StartRequest } from "../../cluster/start-messages.ts";
import type { Supervisor } from "../../cluster/supervisor.ts";
import { partProgram } from "../../programs.ts";
import { messageOf } from "../../text.ts";
import type { StarterOptions } from "./starter-options.ts";

/** What carrying out a start takes. */
export interface RunStarterOptions extends StarterOptions {
  /** Starts the parts when the process asks for them. */
  readonly supervisor: Pick<Supervisor, "start">;
  readonly folder: ClusterFolder;
  /** Of that folder: it is held while the process works in it. */
  readonly lock: FolderLock;
  readonly signal: AbortSignal;
}

/** Has another process carry out the start. Resolves when the cluster can be used; rejects with what went wrong. */
export async function runStarter(options: RunStarterOptions): Promise<void> {
  const { supervisor, signal } = options;
  const child = launch(options);
  const outcome = Promise.withResolvers<void>();
  const answer = (message: StartAnswer): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  const start = async ({ role, namespace }: StartRequest): Promise<void> => {
    const onProgress = (what: string): void => answer({ type: "part-progress", role, what });
    try {
      await supervisor.start(role, { onProgress, namespace });
      answer({ type: "launched", role });
    } catch (error) {
      answer({ type: "not-launched", role, why: messageOf(error) });
    }
  };
  child.on("message", (value) => {
    const request = startRequest(value);
    if (request !== undefined) inBackground(start(request), outcome.reject);
    const message = partMessage(value);
    if (message?.type === "progress") tellProgress(message.what);
    if (message?.type === "failed") outcome.reject(new Error(message.why));
    if (message?.type === "ready") outcome.resolve();
  });
  child.on("error", outcome.reject);
  // What it has said last is read before the connection ends, which may be after the process has.
  const gone = (): void => outcome.reject(signal.aborted ? signal.reason : new Error(whyEnded(child)));
  child.on("exit", () => (child.connected ? child.once("disconnect", gone) : gone()));
  const abort = (): void => {
    child.kill("SIGKILL");
    outcome.reject(signal.reason);
  };
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    await outcome.promise;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function launch({ flags, folder, background, lock }: RunStarterOptions): ChildProcess {
  const args = [partProgram("starter"), JSON.stringify({ flags, background } satisfies StarterOptions)];
  return spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc", lock.fd],
    env: { ...process.env, ...partMark(folder, "starter") },
  });
}

function whyEnded({ signalCode, exitCode }: ChildProcess): string {
  return `the start ended before it was ready (${signalCode ?? `code ${exitCode}`})`;
}
