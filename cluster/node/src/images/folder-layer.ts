import { createReadStream, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TarEntry } from "../tar/types.ts";
import { tarEnd, tarHeader, tarPadding } from "../tar/write-tar.ts";

/** A file, folder or link that goes into a layer. */
export interface LayerEntry {
  /** Its path in the image, without a slash in front. */
  readonly name: string;
  /** Where it is on this machine. */
  readonly path: string;
}

/** Files up to this many bytes are read whole. */
const atOnce = 1 << 18;

/** All that is below a folder, in a fixed order: folders before what is in them. `rename`: undefined leaves it out. */
export async function entriesOf(
  folder: string,
  rename: (name: string) => string | undefined = (name) => name,
): Promise<readonly LayerEntry[]> {
  const found: LayerEntry[] = [];
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      const name = rename(below);
      if (name === undefined) continue;
      found.push({ name, path: join(folder, below) });
      if (entry.isDirectory()) await walk(below);
    }
  };
  await walk("");
  return found;
}

/**
 * The tar archive of entries: the same bytes whenever the files are the same. A folder's time is none. A look at a small
 * file takes microseconds, so it is taken here: a thread for each would take many times as long.
 */
export async function* layerTar(
  entries: readonly LayerEntry[],
  fileTime: "kept" | "none",
): AsyncGenerator<Uint8Array> {
  // A hash, a compressor and a file take one large piece far faster than many small ones.
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of tarParts(entries, fileTime)) {
    parts.push(part);
    bytes += part.length;
    if (bytes < atOnce) continue;
    yield Buffer.concat(parts);
    parts = [];
    bytes = 0;
  }
  yield Buffer.concat(parts);
}

async function* tarParts(
  entries: readonly LayerEntry[],
  fileTime: "kept" | "none",
): AsyncGenerator<Uint8Array> {
  for (const { name, path } of entries) {
    const stats = lstatSync(path);
    const type = stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "symlink" : "file";
    const entry: TarEntry = {
      name: Buffer.from(type === "folder" ? `${name}/` : name).toString("latin1"),
      type,
      mode: type === "symlink" ? 0o777 : stats.mode & 0o7777,
      uid: stats.uid,
      gid: stats.gid,
      size: type === "file" ? stats.size : 0,
      mtime: type === "file" && fileTime === "kept" ? Math.floor(stats.mtimeMs / 1000) : 0,
      linkName: type === "symlink" ? readlinkSync(path, "latin1") : "",
      xattrs: new Map(),
    };
    yield tarHeader(entry);
    if (type !== "file") continue;
    if (stats.size <= atOnce) yield readFileSync(path);
    else for await (const chunk of createReadStream(path)) if (chunk instanceof Uint8Array) yield chunk;
    yield tarPadding(stats.size);
  }
  yield tarEnd;
}
