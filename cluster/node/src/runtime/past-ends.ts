import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import { writeWhole } from "@kedge/network/write-whole";
import type { ContainerFolders } from "./container-record.ts";
import { isAlive } from "./processes.ts";
import type { ContainerInfo } from "./types.ts";

/** More than a node has containers. */
const most = 1000;

/** 128 + 9. */
const bySigkill = 137;

/** The containers that run now. */
export async function runningIds(folders: ContainerFolders): Promise<ReadonlySet<string>> {
  const running = new Set<string>();
  for (const id of await folders.ids()) {
    const process = (await folders.read(id))?.process;
    if (process !== undefined && isAlive(process)) running.add(id);
  }
  return running;
}

/**
 * Writes down how containers have ended that are about to be removed because the node stops: its next agent tells the
 * API server. `killed` are those that the stop itself has killed. What earlier stops wrote is kept, up to a limit: one may
 * have been cut off.
 */
export async function keepEnds(
  folders: ContainerFolders,
  { killed, clock }: { readonly killed: ReadonlySet<string>; readonly clock: Clock },
): Promise<void> {
  const ends = new Map(await readEnds(folders));
  const known = ends.size;
  for (const id of await folders.ids()) {
    const record = await folders.read(id);
    const killedNow = killed.has(id) ? { exitCode: bySigkill, finishedAt: clock.now() } : undefined;
    const exit = (await folders.exit(id)) ?? killedNow;
    if (record?.startedAt === undefined || exit === undefined) continue;
    const { labels, startedAt } = record;
    ends.set(id, { id, labels, state: "exited", startedAt, oomKilled: folders.wasOutOfMemory(id), ...exit });
  }
  if (ends.size === known) return;
  const newest = [...ends.values()].toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0));
  await writeWhole(fileOf(folders), JSON.stringify(newest.slice(0, most)), { mode: 0o600 });
}

/** How containers ended that were removed when the node was stopped, by id. */
export async function readEnds(folders: ContainerFolders): Promise<ReadonlyMap<string, ContainerInfo>> {
  const text = await readFile(fileOf(folders), "utf8").catch(() => "[]");
  // Only `keepEnds` writes it, whole or not at all.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const ends = JSON.parse(text) as readonly ContainerInfo[];
  return new Map(ends.map((end) => [end.id, end]));
}

function fileOf(folders: ContainerFolders): string {
  return join(folders.root, "ends.json");
}
