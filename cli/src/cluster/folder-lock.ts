import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { hasCode } from "@kedge/machinery";
import { lockOpenFile } from "@kedge/network/lock-open-file";
import type { ClusterFolder } from "./cluster-folder.ts";
import { describeProcess, isAlive, isRunningProcess, type RunningProcess } from "./running-processes.ts";

/** The right to start, run, stop or delete the cluster in a folder. It ends with the process, however that ends. */
export interface FolderLock {
  /** A child that gets this descriptor has the lock, too: it is free when none of them has it open. */
  readonly fd: number;
  /** Writes down who has it: this process until now, from now on perhaps a child. */
  setOwner(pid: number): void;
  /** Writes down that this process has started its cluster, and runs it from now on. */
  setRunning(): void;
  release(): void;
}

/** A process that has the lock, and what it does with it. Its role is the name of the command, or `runningRole`. */
export type LockOwner = RunningProcess;

/** Of an owner whose cluster has been started. Until then it is `up`. */
export const runningRole = "running";

/** Carries the number of an inherited descriptor to a child that goes on with its parent's lock. */
export const lockVariable = "KEDGE_FOLDER_LOCK";

/** The descriptor that such a child gets. */
export const inheritedLock = 4;

/**
 * Takes the lock of a folder that exists at once, or gives who has it (undefined: it does not say).
 *
 * The kernel keeps the lock with the open file, so it cannot outlive its owners, and two names of one folder are one
 * lock.
 */
export async function lockFolder(
  folder: ClusterFolder,
  command: string,
): Promise<{ readonly lock: FolderLock } | { readonly owner: LockOwner | undefined }> {
  let lock = await openLock(folder, command, ["--nonblock"]);
  let owner = lockOwner(folder);
  // Who has only just got it says so in a moment, and on a full disk never.
  for (let looks = 0; lock === undefined && owner === undefined && looks < 5; looks += 1) {
    lock = await openLock(folder, command, ["--timeout", "1"]);
    owner = lockOwner(folder);
  }
  return lock === undefined ? { owner } : { lock };
}

/** Waits for the lock; undefined when the signal comes first. */
export async function waitForLock(
  folder: ClusterFolder,
  command: string,
  signal: AbortSignal,
): Promise<FolderLock | undefined> {
  return await openLock(folder, command, [], signal);
}

/** The lock that this process got from its parent, if it did. */
export function inheritLock(folder: ClusterFolder, command: string): FolderLock | undefined {
  const fd = Number(process.env[lockVariable] ?? "");
  // Not for the processes that this one starts.
  delete process.env[lockVariable];
  return fd === inheritedLock && isCurrent(fd, folder) ? lockOn(fd, command) : undefined;
}

/** Who has the lock, if that process is alive and has said so. */
export function lockOwner(folder: ClusterFolder): LockOwner | undefined {
  try {
    const owner: unknown = JSON.parse(readFileSync(folder.lock, "utf8"));
    return isRunningProcess(owner) && isAlive(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

async function openLock(
  folder: ClusterFolder,
  command: string,
  flags: readonly string[],
  signal?: AbortSignal,
): Promise<FolderLock | undefined> {
  for (;;) {
    const fd = openSync(folder.lock, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if (!(await lockOpenFile(fd, flags, signal))) {
        closeSync(fd);
        return undefined;
      }
      if (isCurrent(fd, folder)) {
        const lock = lockOn(fd, command);
        lock.setOwner(process.pid);
        return lock;
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    // Who had it has deleted the folder, and the file with it: a lock on that keeps nobody out.
    closeSync(fd);
  }
}

function lockOn(fd: number, command: string): FolderLock {
  const say = (role: string, pid: number): void => {
    const text = Buffer.from(`${JSON.stringify(describeProcess(role, pid))}\n`);
    try {
      // Over what is there, whose place a full disk has.
      writeSync(fd, text, 0, text.length, 0);
      ftruncateSync(fd, text.length);
    } catch (error) {
      // A cluster on a full disk can still be stopped. Others only do not learn who does it.
      if (!isFull(error)) throw error;
    }
  };
  return {
    fd,
    setOwner: (pid) => say(command, pid),
    setRunning: () => say(runningRole, process.pid),
    release: () => closeSync(fd),
  };
}

/** Whether the descriptor is the lock file that is in the folder now. */
function isCurrent(fd: number, folder: ClusterFolder): boolean {
  try {
    const [held, now] = [fstatSync(fd), statSync(folder.lock, { throwIfNoEntry: false })];
    return now !== undefined && held.ino === now.ino && held.dev === now.dev;
  } catch {
    return false;
  }
}

function isFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT");
}
