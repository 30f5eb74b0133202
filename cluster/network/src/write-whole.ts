import { link, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** How a file is written. */
export interface WriteWholeOptions {
  /** 0644 unless given. */
  readonly mode?: number;
  /** Fails with EEXIST where there is such a file already. */
  readonly exclusive?: boolean;
}

/**
 * Writes a small file whole or not at all: whatever is cut off and when, a reader sees the old text or the new one, and
 * once this has resolved the new one, also after the machine has lost its power. One writer at a time, unless
 * it is to be the first.
 */
export async function writeWhole(path: string, text: string, options: WriteWholeOptions = {}): Promise<void> {
  const { mode = 0o644, exclusive = false } = options;
  await mkdir(dirname(path), { recursive: true });
  if (exclusive) {
    const folder = await mkdtemp(`${path}.`);
    try {
      await writeSynced(join(folder, "new"), text, mode);
      await link(join(folder, "new"), path);
    } finally {
      await rm(folder, { recursive: true });
    }
  } else {
    const temporary = `${path}.new`;
    // One that was cut off has left it.
    await rm(temporary, { force: true });
    try {
      await writeSynced(temporary, text, mode);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
  await syncFolder(dirname(path));
}

async function writeSynced(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name is in its folder for good only when that is on the disk, too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
