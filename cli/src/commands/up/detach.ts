import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import { inheritedLock, lockVariable, type FolderLock } from "../../cluster/folder-lock.ts";
import type { KedgeContext } from "../../context.ts";
import { partMessage } from "../../cluster/part-messages.ts";
import { mainProgram } from "../../programs.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { UpFlags } from "./flags.ts";

/** What starting in the background takes. */
export interface DetachOptions {
  readonly context: KedgeContext;
  readonly flags: UpFlags;
  readonly folder: ClusterFolder;
  readonly terminal: Terminal;
  /** Of the folder. The process in the background goes on with it. */
  readonly lock: FolderLock;
}

/** Starts this very command in the background, and waits until it is ready. What it says is in `logs/up.log`. */
export async function startDetached(options: DetachOptions): Promise<Error | void> {
  const { folder, terminal, lock } = options;
  mkdirSync(folder.logs, { recursive: true });
  const log = join(folder.logs, "up.log");
  terminal.waitFor(`starting the cluster in ${folder.path}`);
  // A Ctrl-C does not reach what runs in the background: it is handed on. A terminal that is closed changes nothing.
  let stopped = false;
  const stop = (): void => {
    stopped = child.kill("SIGTERM");
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", goOn);
  const child = launch(options, log);
  if (child.pid !== undefined) lock.setOwner(child.pid);
  const { ready, why } = await outcomeOf(child, terminal);
  lock.release();
  process.off("SIGINT", stop).off("SIGTERM", stop);
  terminal.clear();
  const said = readFileSync(log, "utf8");
  if (!ready) {
    const [steps = "", ...problem] = said.split(/^kedge: /mu);
    terminal.print(steps);
    return new Error(
      problem.join("").trim() || why || whyEnded(child, stopped) || `it ended without a word. See ${log}`,
    );
  }
  terminal.print(said);
  terminal.print(`It goes on in the background. What it says is in ${log}.\n`);
  if (child.connected) child.disconnect();
  child.unref();
}

/** What it could not say itself. */
function whyEnded({ signalCode }: ChildProcess, stopped: boolean): string {
  if (stopped || signalCode === "SIGTERM") return "stopped before it was ready";
  return signalCode === null ? "" : `it was ended by ${signalCode} before it was ready`;
}

function goOn(): void {
  // The start is the background's.
}

function launch({ flags, lock }: DetachOptions, log: string): ChildProcess {
  // Begun anew, then added to: who empties it later must not leave a hole.
  writeFileSync(log, "");
  const output = openSync(log, "a");
  const args = [
    mainProgram,
    "up",
    "--dir",
    flags.dir,
    ...(flags.port === undefined ? [] : ["--port", String(flags.port)]),
    ...(flags.nodes === undefined ? [] : ["--nodes", String(flags.nodes)]),
    ...(flags.runtime === undefined ? [] : ["--runtime", flags.runtime]),
    ...(flags.store === undefined ? [] : ["--store", flags.store]),
    ...(flags.encryptionProviderConfig === undefined
      ? []
      : ["--encryption-provider-config", flags.encryptionProviderConfig]),
    ...(flags.auditPolicyFile === undefined ? [] : ["--audit-policy-file", flags.auditPolicyFile]),
    ...(flags.nodeMonitorGracePeriod === undefined
      ? []
      : ["--node-monitor-grace-period", `${flags.nodeMonitorGracePeriod}s`]),
    ...(flags.operators ? [] : ["--no-operators"]),
    ...(flags.sample ? [] : ["--no-sample"]),
    ...(flags.exposeNodePorts ? ["--expose-node-ports"] : []),
    ...(flags.schedulerConfig === undefined ? [] : ["--scheduler-config", flags.schedulerConfig]),
    ...(flags.imageAlias ?? []).flatMap((alias) => ["--image-alias", alias]),
  ];
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ["ignore", output, output, "ipc", lock.fd],
    env: { ...process.env, [lockVariable]: String(inheritedLock) },
    detached: true,
  });
  closeSync(output);
  return child;
}

/** It says that it is ready, or ends; how long that takes is up to the start itself. */
async function outcomeOf(child: ChildProcess, terminal: Terminal): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let why = "";
  // What it has said last is read before the connection ends, which may be after the process has.
  const gone = (): void => resolve({ ready: false, why });
  child.on("exit", () => (child.connected ? child.once("disconnect", gone) : gone()));
  child.on("error", (error) => resolve({ ready: false, why: error.message }));
  child.on("message", (value) => {
    const message = partMessage(value);
    if (message?.type === "progress") terminal.waitFor(message.what);
    if (message?.type === "failed") why = message.why;
    if (message?.type === "ready") resolve({ ready: true, why });
  });
  return await promise;
}

interface Outcome {
  readonly ready: boolean;
  /** What it said of its failure, other than in its log. */
  readonly why: string;
}
