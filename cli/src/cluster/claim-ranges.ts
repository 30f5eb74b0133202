import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@kedge/machinery";
import { freeRanges, type ClusterRanges } from "@kedge/network";
import { writeWhole } from "@kedge/network/write-whole";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import { readJsonFile } from "./json-file.ts";
import { describeProcess, isAlive } from "./running-processes.ts";

/**
 * Address ranges that no other cluster of this machine has, whether it runs now or not: two that took turns would
 * otherwise meet one day, and a range cannot be changed once services have addresses in it. Claims are files in the
 * cache folder; one counts as long as its cluster exists, or is about to.
 */
export async function claimRanges(folder: ClusterFolder, cache: string): Promise<ClusterRanges> {
  const claims = join(cache, "ranges");
  await mkdir(claims, { recursive: true });
  for (;;) {
    const ranges = freeRanges(undefined, await claimed(claims));
    if (await claim(claims, { ...ranges, folder: folder.path, by: describeProcess("claim", process.pid) }))
      return ranges;
  }
}

interface Claim extends ClusterRanges {
  readonly folder: string;
  readonly by: ReturnType<typeof describeProcess>;
}

/** The ranges with a claim that counts. Others are removed. */
async function claimed(claims: string): Promise<readonly string[]> {
  const ranges: string[] = [];
  for (const name of await readdir(claims)) {
    if (!name.endsWith(".json")) continue;
    const found = await readJsonFile(join(claims, name)).catch(() => undefined);
    if (isClaim(found) && (isAlive(found.by) || (await isKept(found))))
      ranges.push(found.podRange, found.serviceRange);
    else await rm(join(claims, name), { force: true });
  }
  return ranges;
}

async function isKept({ folder, podRange }: Claim): Promise<boolean> {
  const settings = await readJsonFile(clusterFolder(folder).settings).catch(() => undefined);
  return new Map<string, unknown>(Object.entries(settings ?? {})).get("podRange") === podRange;
}

/** Whether it is ours now. */
async function claim(claims: string, wanted: Claim): Promise<boolean> {
  const path = join(claims, `${wanted.podRange.replace("/", "-")}.json`);
  try {
    await writeWhole(path, `${JSON.stringify(wanted)}\n`, { exclusive: true });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function isClaim(value: unknown): value is Claim {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  return (
    ["podRange", "serviceRange", "folder"].every((name) => typeof fields.get(name) === "string") &&
    typeof fields.get("by") === "object"
  );
}
