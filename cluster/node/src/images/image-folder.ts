import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResolvedImage } from "./types.ts";

/** An image as it is kept: all but the name that somebody used for it, on disk with layers relative to its folder. */
export type StoredImage = Omit<ResolvedImage, "name">;

/** Images on disk, each whole or not there. Any number of processes may share them. */
export interface ImageFolder {
  has(key: string): boolean;
  read(key: string): Promise<StoredImage | undefined>;
  /** Calls `make` with an empty folder unless the image is there. */
  make(key: string, make: (folder: string) => Promise<StoredImage>): Promise<StoredImage>;
}

/** Opens the folder. */
export function openImageFolder(folder: string): ImageFolder {
  const place = (key: string): string => join(folder, key);
  const read = async (key: string): Promise<StoredImage | undefined> => {
    const text = await readFile(join(place(key), "image.json"), "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    // Only `make` writes this file, whole or not at all.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const image = JSON.parse(text) as StoredImage;
    return { ...image, layers: image.layers.map((layer) => join(place(key), layer)) };
  };
  return {
    has: (key) => existsSync(join(place(key), "image.json")),
    read,
    async make(key, make) {
      const before = await read(key);
      if (before !== undefined) return before;
      await mkdir(folder, { recursive: true });
      const temporary = await mkdtemp(join(folder, ".making-"));
      try {
        await writeFile(join(temporary, "image.json"), JSON.stringify(await make(temporary)));
        // Another process may have been faster: what it made is the same.
        await rename(temporary, place(key)).catch((error: unknown) => {
          if (!existsSync(join(place(key), "image.json"))) throw error;
        });
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
      const made = await read(key);
      if (made === undefined) throw new Error(`${place(key)} was removed while the image was made`);
      return made;
    },
  };
}
