import { createReadStream } from "node:fs";
import { open, readFile, realpath, stat, unlink } from "node:fs/promises";
import { join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { readTar } from "../../tar/read-tar.ts";
import { TarError } from "../../tar/tar-error.ts";
import { decompress } from "../decompress.ts";
import { longestJson } from "../descriptor.ts";
import { ImageError } from "../image-error.ts";

/** The files of an archive or of a folder. */
export interface ArchiveFiles extends AsyncDisposable {
  has(name: string): boolean | Promise<boolean>;
  /** Undefined: there is no such file. */
  read(name: string): Promise<Buffer | undefined>;
  open(name: string): Promise<Readable | undefined>;
}

/** Images have a few hundred files in their archives. */
const mostFiles = 100_000;

/**
 * Opens a tar file (plain, or compressed by gzip or zstd) or a folder. A plain one is read where it is; `temporary` is
 * a path for what a compressed one holds, of at most `limit` bytes.
 */
export async function openArchive(
  path: string,
  { temporary, limit }: { readonly temporary: string; readonly limit: number },
): Promise<ArchiveFiles> {
  const found = await stat(path).catch((error: unknown): never => {
    throw new ImageError("ARCHIVE", `${path} cannot be read: there is no such file`, { cause: error });
  });
  if (found.isDirectory()) return folderFiles(await realpath(path));
  if (!found.isFile()) throw new ImageError("ARCHIVE", `${path} is neither a file nor a folder`);
  const file = await open(path);
  const first = Buffer.alloc(6);
  try {
    await file.read(first, 0, first.length, 0);
  } finally {
    await file.close();
  }
  const source = createReadStream(path);
  if (!isCompressed(first)) {
    source.destroy();
    return await tarFiles(path, async () => Promise.resolve());
  }
  const { content } = decompress(source, first, limit);
  const plain = await open(temporary, "wx", 0o600);
  await pipeline(content, plain.createWriteStream());
  return await tarFiles(temporary, () => unlink(temporary));
}

function isCompressed(first: Buffer): boolean {
  return (first[0] === 0x1f && first[1] === 0x8b) || first.readUInt32LE(0) === 0xfd2fb528;
}

async function tarFiles(path: string, dispose: () => Promise<void>): Promise<ArchiveFiles> {
  const places = new Map<string, { readonly offset: number; readonly size: number }>();
  const links = new Map<string, string>();
  try {
    await readTar(createReadStream(path), (entry, offset) => {
      const name = posix.normalize(entry.name);
      if (places.size + links.size >= mostFiles)
        throw new ImageError("TOO_LARGE", `${path} holds too many files`);
      if (entry.type === "file") places.set(name, { offset, size: entry.size });
      // Older versions of Docker wrote a layer that two images share once, and links to it.
      if (entry.type === "symlink") links.set(name, posix.join(posix.dirname(name), entry.linkName));
      if (entry.type === "hardlink") links.set(name, posix.normalize(entry.linkName));
      return undefined;
    });
  } catch (error) {
    if (!(error instanceof TarError)) throw error;
    throw new ImageError("ARCHIVE", `${path} cannot be read: ${error.message}`, { cause: error });
  }
  const find = (name: string): { readonly offset: number; readonly size: number } | undefined => {
    let wanted = posix.normalize(name);
    for (let hops = 0; hops < 10 && !places.has(wanted); hops += 1) wanted = links.get(wanted) ?? wanted;
    return places.get(wanted);
  };
  const part = ({ offset, size }: { readonly offset: number; readonly size: number }): Readable =>
    size === 0 ? Readable.from([]) : createReadStream(path, { start: offset, end: offset + size - 1 });
  return {
    has: (name) => find(name) !== undefined,
    open: (name) => {
      const place = find(name);
      return Promise.resolve(place && part(place));
    },
    async read(name) {
      const place = find(name);
      if (place === undefined) return undefined;
      if (place.size > longestJson) throw new ImageError("TOO_LARGE", `${name} is larger than 4 MiB`);
      return await buffer(part(place));
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** Names are digests and a few fixed ones: none leads out of the folder. */
function folderFiles(folder: string): ArchiveFiles {
  const fileAt = async (name: string): Promise<string | undefined> => {
    const path = join(folder, posix.normalize(`/${name}`));
    const found = await stat(path).catch(() => undefined);
    return found?.isFile() === true ? path : undefined;
  };
  return {
    has: async (name) => (await fileAt(name)) !== undefined,
    async open(name) {
      const path = await fileAt(name);
      return path === undefined ? undefined : createReadStream(path);
    },
    async read(name) {
      const path = await fileAt(name);
      if (path === undefined) return undefined;
      if ((await stat(path)).size > longestJson)
        throw new ImageError("TOO_LARGE", `${name} is larger than 4 MiB`);
      return await readFile(path);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
