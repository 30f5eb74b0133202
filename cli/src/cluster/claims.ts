import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { whileLocked } from "@kedge/network/lock-open-file";
import { writeWhole } from "@kedge/network/write-whole";
import type { ClusterFolder } from "./cluster-folder.ts";
import { readJsonFile } from "./json-file.ts";
import { describeProcess, isAlive, isRunningProcess, type RunningProcess } from "./running-processes.ts";

/** That a cluster has something which only one cluster of this machine can have. */
export interface Claim {
  /** The path of the cluster's folder. */
  readonly folder: string;
  /** Who made it. */
  readonly by: RunningProcess;
}

/** Claims of one sort: files in a folder. One counts while its process is alive, and then as long as it is kept. */
export interface Claims<T> {
  readonly path: string;
  readonly isClaim: (value: Claim & Partial<T>) => value is Claim & T;
  readonly isKept: (claim: Claim & T) => Promise<boolean>;
}

/** What is chosen, and the name of its file. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

/** A claim takes others no longer than a look at a few files. */
const patience = 30_000;

/** Claims for a cluster what `choose` makes of the claims of all others. Processes take turns. */
export async function claim<T>(
  folder: ClusterFolder,
  claims: Claims<T>,
  choose: (others: readonly (Claim & T)[]) => Promise<Choice<T>>,
): Promise<T> {
  const make = async (): Promise<T> => {
    const { name, value } = await choose(await claimsOfOthers(folder, claims));
    const wanted = { ...value, folder: folder.path, by: describeProcess("claim", process.pid) };
    await writeWhole(join(claims.path, `${name}.json`), `${JSON.stringify(wanted)}\n`);
    return value;
  };
  await mkdir(claims.path, { recursive: true });
  using limit = realClock.deadline(patience);
  return await whileLocked(join(claims.path, "lock"), make, limit.signal);
}

/** Those that count. The rest is removed, with earlier ones of this cluster. */
async function claimsOfOthers<T>(
  folder: ClusterFolder,
  { path, isClaim, isKept }: Claims<T>,
): Promise<readonly (Claim & T)[]> {
  const others: (Claim & T)[] = [];
  for (const name of await readdir(path)) {
    if (!name.endsWith(".json")) continue;
    const found = await readJsonFile(join(path, name)).catch(() => undefined);
    const counts =
      isAnyClaim<T>(found) &&
      isClaim(found) &&
      found.folder !== folder.path &&
      (isAlive(found.by) || (await isKept(found)));
    if (counts) others.push(found);
    else await rm(join(path, name), { force: true });
  }
  return others;
}

function isAnyClaim<T>(value: unknown): value is Claim & Partial<T> {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  return typeof fields.get("folder") === "string" && isRunningProcess(fields.get("by"));
}
