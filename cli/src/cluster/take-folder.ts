import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, type Clock } from "@kedge/machinery";
import { dirOption, type ClusterFolder } from "./cluster-folder.ts";
import { inheritLock, lockFolder, lockOwner, waitForLock, type FolderLock } from "./folder-lock.ts";
import { signalAll, type RunningProcess } from "./running-processes.ts";

/** Takes the folder for a start; an error when there is a cluster in it already, or one is being started or stopped. */
export async function takeForStart(folder: ClusterFolder, dir: string): Promise<FolderLock | Error> {
  const inherited = inheritLock(folder, "up");
  if (inherited !== undefined) return inherited;
  await makeFolder(folder.path);
  const taken = await lockFolder(folder, "up");
  if ("lock" in taken) return taken.lock;
  const { owner } = taken;
  const [who, where] = [owner === undefined ? "" : ` (process ${owner.pid})`, dirOption(dir)];
  if (owner?.role === "down")
    return new Error(`the cluster in ${folder.path} is being stopped${who}. Run this again when it is.`);
  const what =
    owner?.role === "up"
      ? `the cluster in ${folder.path} is being started by process ${owner.pid}`
      : `a cluster already runs in ${folder.path}${who}`;
  return new Error(`${what}. \`kedge status${where}\` shows it, \`kedge down${where}\` stops it.`);
}

/** What is in it is for its owner only. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  });
}

/** The folder, after whoever had it was asked to stop. */
export interface Stopped {
  readonly lock: FolderLock;
  /** Whether there was somebody. */
  readonly was: boolean;
  /** Whether asking was not enough. */
  readonly killed: boolean;
}

/** What taking over takes. */
export interface TakeOverOptions {
  readonly clock: Clock;
  /** How long who has the folder may take to stop before it is killed. */
  readonly patience: number;
}

/** Stops whoever runs or starts a cluster in the folder, gently first, waits for whoever stops it, and takes it. */
export async function takeForStop(folder: ClusterFolder, options: TakeOverOptions): Promise<Stopped> {
  return await stopAndTake(folder, options).catch((error: unknown) => {
    // The folder may be there again already, made by who starts the next cluster.
    if (existsSync(folder.path) && !hasCode(error, "ENOENT")) throw error;
    throw new Error(`another command has stopped the cluster and deleted ${folder.path}`, { cause: error });
  });
}

async function stopAndTake(folder: ClusterFolder, options: TakeOverOptions): Promise<Stopped> {
  const { clock, patience } = options;
  const free = await lockFolder(folder, "down");
  if ("lock" in free) return { lock: free.lock, was: false, killed: false };
  const until = clock.monotonic() + patience;
  const asked = new Map<string, RunningProcess>();
  let killed = false;
  for (;;) {
    const owner = lockOwner(folder);
    // A start hands the folder to the process that goes on in the background: that is asked as well. One that stops
    // the cluster is only waited for.
    if (owner !== undefined && owner.role !== "down" && !asked.has(keyOf(owner))) {
      signalAll([owner], "SIGTERM");
      asked.set(keyOf(owner), owner);
    }
    if (clock.monotonic() >= until) {
      if (killed) throw new Error(`${folder.path} is still in use${by(owner)}. Look what that process does.`);
      signalAll([...asked.values()], "SIGKILL");
      killed = true;
    }
    using limit = clock.deadline(pause);
    const lock = await waitForLock(folder, "down", limit.signal);
    if (lock !== undefined) return { lock, was: true, killed };
  }
}

/** How often to look who has the folder now. */
const pause = 1000;

function keyOf({ pid, started }: RunningProcess): string {
  return `${pid} ${started}`;
}

function by(owner: RunningProcess | undefined): string {
  return owner === undefined ? "" : ` by process ${owner.pid}`;
}
