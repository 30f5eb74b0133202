import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, type Clock, type Logger } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";
import { TarError } from "../tar/tar-error.ts";
import { decompress } from "./decompress.ts";
import { chainOf, hexOf, type Digest } from "./digest.ts";
import { ImageError } from "./image-error.ts";
import { setAttributes } from "./set-attributes.ts";
import type { StoreFolder } from "./store-folder.ts";
import { unpackLayer, type UnpackBudget } from "./unpack-layer.ts";

/** A layer to be unpacked. */
export interface LayerFile {
  readonly path: string;
  readonly diffId: Digest;
}

/** What one image may hold. */
export interface ImageLimits {
  /** Bytes of its files, and of any one layer as it is stored. */
  readonly bytes: number;
  readonly entries: number;
}

/** Enough for any image that people run; a hostile one fills no more than this, for a moment. */
export const usualLimits: ImageLimits = { bytes: 32 * 2 ** 30, entries: 1_000_000 };

/** Unpacked images. One stack of layers is one folder, which nobody ever writes to: all containers share it. */
export interface ImageRoots {
  /** Undefined: it is not unpacked. */
  find(chain: Digest): string | undefined;
  /** Bytes of its files. */
  size(chain: Digest): Promise<number>;
  /** Unpacks layers, the lowest first, unless they are unpacked; gives their folder. */
  make(layers: readonly LayerFile[]): Promise<string>;
  /** Takes a folder over that holds just what a stack of layers holds. */
  adopt(chain: Digest, unpacked: { readonly root: string; readonly bytes: number }): Promise<void>;
  /** All that are here. */
  list(): Promise<readonly Digest[]>;
  /** Where a root is moved to before it is deleted. */
  moveOut(chain: Digest): Promise<MovedRoot | undefined>;
}

/** A root that nobody finds any more. */
export interface MovedRoot {
  putBack(): Promise<void>;
  delete(): Promise<void>;
}

/** Opens them. */
export function imageRoots(
  folder: StoreFolder,
  options: { readonly clock: Clock; readonly logger: Logger; readonly limits: ImageLimits },
): ImageRoots {
  const { clock, limits } = options;
  const place = (chain: Digest): string => join(folder.roots, hexOf(chain));
  const find = (chain: Digest): string | undefined => {
    const root = join(place(chain), "root");
    return existsSync(root) ? root : undefined;
  };

  /** The most layers from the bottom up that another image has unpacked. */
  const longestBelow = (diffIds: readonly Digest[]): number => {
    for (let count = diffIds.length - 1; count > 0; count -= 1) {
      if (find(chainOf(diffIds.slice(0, count))) !== undefined) return count;
    }
    return 0;
  };

  const unpack = async (layers: readonly LayerFile[], root: string): Promise<number> => {
    const diffIds = layers.map(({ diffId }) => diffId);
    const shared = longestBelow(diffIds);
    const budget: UnpackBudget = { bytes: limits.bytes, entries: limits.entries, names: limits.entries * 64 };
    const begun = shared > 0 && (await cloneRoot(chainOf(diffIds.slice(0, shared)), root));
    if (!begun) await mkdir(root);
    if (!begun) await chmod(root, 0o755);
    for (const layer of layers.slice(begun ? shared : 0)) {
      await unpackFile(layer, root, { ...options, budget });
    }
    return limits.bytes - budget.bytes;
  };

  /** Files are shared by hard links: what is unpacked is never written to. False: it was removed meanwhile. */
  const cloneRoot = async (chain: Digest, root: string): Promise<boolean> => {
    const args = ["-al", "--", join(place(chain), "root"), root];
    const { exitCode } = await runProgram("cp", args, { clock, timeoutMs: 600_000, mayFail: true });
    if (exitCode !== 0) await rm(root, { recursive: true, force: true });
    return exitCode === 0;
  };

  /** Whole or not at all. Another process may be faster: what it makes is the same. */
  const put = async (chain: Digest, make: (root: string) => Promise<number>): Promise<void> => {
    const making = await mkdtemp(join(folder.roots, ".making-"));
    try {
      const bytes = await make(join(making, "root"));
      await writeFile(join(making, "root.json"), JSON.stringify({ bytes }));
      await rename(making, place(chain)).catch((error: unknown) => {
        if (!hasCode(error, "ENOTEMPTY") && !hasCode(error, "EEXIST")) throw error;
      });
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  };

  return {
    find,
    async adopt(chain, { root: from, bytes }) {
      if (find(chain) !== undefined) return;
      await put(chain, async (root) => {
        await rename(from, root);
        return bytes;
      });
    },
    async size(chain) {
      const text = await readFile(join(place(chain), "root.json"), "utf8").catch(() => "{}");
      // Only `make` writes it.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return (JSON.parse(text) as { readonly bytes?: number }).bytes ?? 0;
    },
    async make(layers) {
      const chain = chainOf(layers.map(({ diffId }) => diffId));
      const before = find(chain);
      if (before !== undefined) return before;
      await put(chain, (root) => unpack(layers, root));
      return join(place(chain), "root");
    },
    async list() {
      const names = await readdir(folder.roots);
      return names.filter((name) => /^[0-9a-f]{64}$/u.test(name)).map((hex): Digest => `sha256:${hex}`);
    },
    async moveOut(chain) {
      const out = await mkdtemp(join(folder.trash, "root-"));
      try {
        await rename(place(chain), join(out, "moved"));
      } catch (error) {
        await rm(out, { recursive: true, force: true });
        if (hasCode(error, "ENOENT")) return undefined;
        throw error;
      }
      return {
        async putBack() {
          await rename(join(out, "moved"), place(chain));
          await rm(out, { recursive: true, force: true });
        },
        delete: () => rm(out, { recursive: true, force: true }),
      };
    },
  };
}

async function unpackFile(
  { path, diffId }: LayerFile,
  root: string,
  options: {
    readonly clock: Clock;
    readonly logger: Logger;
    readonly budget: UnpackBudget;
    readonly limits: ImageLimits;
  },
): Promise<void> {
  const file = await open(path);
  try {
    const first = Buffer.alloc(6);
    await file.read(first, 0, first.length, 0);
    const source = file.createReadStream({ start: 0, autoClose: false });
    // Headers and padding come on top of the files themselves.
    const layer = decompress(source, first, options.limits.bytes + options.limits.entries * 1536);
    const attributes = await unpackLayer(layer.content, root, options.budget).catch(
      (error: unknown): never => {
        layer.content.destroy();
        if (error instanceof TarError)
          throw new ImageError("ARCHIVE", `a layer cannot be unpacked: ${error.message}`);
        throw error;
      },
    );
    const found = layer.digest();
    if (found !== diffId) {
      throw new ImageError("CORRUPT", `a layer holds ${found}, but the image's configuration says ${diffId}`);
    }
    await setAttributes(root, attributes, options);
  } finally {
    await file.close();
  }
}
