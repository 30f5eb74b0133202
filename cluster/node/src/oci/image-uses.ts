import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import type { Digest } from "./digest.ts";
import type { StoreFolder } from "./store-folder.ts";

/** A container that stands on an unpacked image. */
export interface ImageUse {
  readonly container: string;
  readonly image: Digest;
  readonly chain: Digest;
  /** The container's own folder: while it is there, the image is in use. */
  readonly folder: string;
}

/** Which containers use which unpacked images, of all nodes that share the store. */
export interface ImageUses {
  /** Written before the container is made. */
  add(use: ImageUse): Promise<void>;
  /** The container is gone. One that is not said to be gone is found out by its folder. */
  release(container: string): Promise<void>;
  /** Those whose containers are there, or are being made. Others are forgotten. */
  list(): Promise<readonly ImageUse[]>;
}

/** A container is made within this time. */
const makingMs = 600_000;

/** Opens them. */
export function imageUses(folder: StoreFolder, clock: Clock): ImageUses {
  const place = (container: string): string => join(folder.uses, container);
  return {
    add: (use) => writeFile(place(use.container), JSON.stringify(use), { mode: 0o600 }),
    release: (container) => rm(place(container), { force: true }),
    async list() {
      const found: ImageUse[] = [];
      for (const container of await readdir(folder.uses)) {
        const path = place(container);
        const [text, stats] = await Promise.all([readFile(path, "utf8"), stat(path)]).catch(() => []);
        if (text === undefined || stats === undefined) continue;
        const use = useFrom(text);
        const isNew = clock.now() - stats.mtimeMs < makingMs;
        if (use !== undefined && (isNew || existsSync(use.folder))) found.push(use);
        else if (!isNew) await rm(path, { force: true });
      }
      return found;
    },
  };
}

/** One that was cut off is no JSON, and its container was never made. */
function useFrom(text: string): ImageUse | undefined {
  try {
    // Only `add` writes these files.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(text) as ImageUse;
  } catch {
    return undefined;
  }
}
