import { chmod, mkdir, readlink, type FileHandle } from "node:fs/promises";
import { hasCode } from "@kedge/machinery";
import { openEntry, openFolder, pathOf } from "./descriptor.ts";

/** As many as the kernel follows. */
const mostLinks = 40;

/**
 * Opens a part of a volume; folders that are not there are made. Every step is taken from the descriptor of the last
 * one and no link is followed by the kernel, so that a container which moves things about in the volume meanwhile gains
 * nothing: whatever is opened lies in the volume. Who calls closes it. Throws when the path leads out.
 */
export async function openSubPath(volume: string, subPath: string): Promise<FileHandle> {
  if (subPath.startsWith("/") || subPath.split("/").includes("..")) {
    throw new Error(`subPath "${subPath}": must be relative and must not contain ".."`);
  }
  // From the volume's root to where we are.
  const way = [await openFolder(volume)];
  try {
    const { mode } = await here(way).stat();
    await walk(way, subPath, mode & 0o2777);
    const [reached] = way.splice(-1, 1);
    if (reached === undefined) throw new Error(`subPath "${subPath}": leads nowhere`);
    return reached;
  } finally {
    for (const handle of way) await handle.close();
  }
}

async function walk(way: FileHandle[], subPath: string, mode: number): Promise<void> {
  const leadsOut = (): Error => new Error(`subPath "${subPath}": leads out of the volume`);
  const left = partsOf(subPath).toReversed();
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === "..") {
      if (way.length === 1) throw leadsOut();
      await way.pop()?.close();
      continue;
    }
    const next = await openOrMake(here(way), name, mode);
    const entry = await next.stat().catch(async (error: unknown): Promise<never> => {
      await next.close();
      throw error;
    });
    if (!entry.isSymbolicLink()) {
      way.push(next);
      continue;
    }
    await next.close();
    const target = await readlink(pathOf(here(way), name)).catch((error: unknown): never => {
      if (!hasCode(error, "EINVAL")) throw error;
      throw new Error(`subPath "${subPath}": "${name}" was exchanged while it was opened`);
    });
    if (target.startsWith("/")) throw leadsOut();
    if ((links += 1) > mostLinks) throw new Error(`subPath "${subPath}": too many levels of symbolic links`);
    left.push(...partsOf(target).toReversed());
  }
}

/** A folder that is missing gets the mode of the volume's own. */
async function openOrMake(folder: FileHandle, name: string, mode: number): Promise<FileHandle> {
  try {
    return await openEntry(folder, name);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  await mkdir(pathOf(folder, name)).catch((error: unknown) => {
    // Another container of the pod was faster.
    if (!hasCode(error, "EEXIST")) throw error;
  });
  const made = await openEntry(folder, name);
  // `mkdir` alone lets the process's umask take part.
  await chmod(pathOf(made), mode).catch(async (error: unknown) => {
    // A link, by now: it has no mode, and is no folder of ours.
    if (hasCode(error, "ENOTSUP")) return;
    await made.close();
    throw error;
  });
  return made;
}

function here(way: readonly FileHandle[]): FileHandle {
  const last = way.at(-1);
  if (last === undefined) throw new Error("the volume is not open");
  return last;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}
