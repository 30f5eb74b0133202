import { chmod, mkdir, readdir, rmdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, type Clock } from "@kedge/machinery";
import { removeTree } from "@kedge/network/remove-tree";
import type { NodeMounts } from "../volumes/node-mounts.ts";
import { volumeImages } from "./volume-images.ts";

/** Where the volumes of a node are. */
export interface VolumeFolders {
  /** An absolute path on the node. Each volume is a folder in it. */
  readonly path: string;
  /** Makes the folder of a volume if it is not there; with a size, a file system of that size in it. */
  make(name: string, sizeBytes?: number): Promise<void>;
  /** Makes a file system larger, in use or not. A folder is as large as its disk. */
  grow(name: string, sizeBytes: number): Promise<void>;
  /** Removes it with its data. Does nothing when it is gone. */
  remove(name: string): Promise<void>;
  /** Removes it if nothing is in it. */
  removeIfEmpty(name: string): Promise<void>;
  names(): Promise<readonly string[]>;
  /** How much room their disk has left. Undefined: any. */
  freeBytes(): Promise<number | undefined>;
}

/** Folders on this machine's disk. What is to have a size of its own is mounted by `mounts`. */
export function createVolumeFolders(path: string, clock: Clock, mounts: NodeMounts): VolumeFolders {
  const images = volumeImages({ clock, mounts });
  return {
    path,
    async make(name, sizeBytes) {
      // Any user may write to a volume, as which one a pod runs is not known here; users of this machine are kept out
      // by the folder around it.
      await clock.track(mkdir(path, { recursive: true, mode: 0o700 }));
      await clock.track(mkdir(join(path, name), { recursive: true }));
      if (sizeBytes !== undefined) await images.make(join(path, name), sizeBytes);
      await clock.track(chmod(join(path, name), 0o777));
    },
    grow: async (name, sizeBytes) => await images.grow(join(path, name), sizeBytes),
    async remove(name) {
      await images.remove(join(path, name));
      await clock.track(removeTree(join(path, name)));
    },
    async removeIfEmpty(name) {
      if (!(await images.removeIfEmpty(join(path, name)))) return;
      await clock.track(rmdir(join(path, name)).catch(refused));
    },
    async freeBytes() {
      await clock.track(mkdir(path, { recursive: true, mode: 0o700 }));
      const { bavail, bsize } = await clock.track(statfs(path));
      return bavail * bsize;
    },
    names: () =>
      clock.track(
        readdir(path).catch((error: unknown) => {
          if (hasCode(error, "ENOENT")) return [];
          throw error;
        }),
      ),
  };
}

function refused(error: unknown): void {
  if (!hasCode(error, "ENOTEMPTY") && !hasCode(error, "ENOENT")) throw error;
}

/** Volumes without a disk, for simulations. */
export function createSimulatedVolumeFolders(): VolumeFolders {
  const names = new Set<string>();
  const remove = (name: string): Promise<void> => {
    names.delete(name);
    return Promise.resolve();
  };
  return {
    path: "/simulated",
    make(name) {
      names.add(name);
      return Promise.resolve();
    },
    grow: () => Promise.resolve(),
    remove,
    removeIfEmpty: remove,
    freeBytes: () => Promise.resolve(undefined),
    names: () => Promise.resolve([...names]),
  };
}
