import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, messageOf, type Clock } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";
import { UnmetWishError } from "@kedge/runtime";
import { parseMounts } from "../volumes/mount-table.ts";
import type { NodeMounts } from "../volumes/node-mounts.ts";
import { imageOf } from "../volumes/volume-image.ts";

/** File systems of a size of their own, each in a file, mounted at the path of its volume. */
export interface VolumeImages {
  /** Makes it if it is not there, and mounts it. */
  make(path: string, sizeBytes: number): Promise<void>;
  /** Makes it larger where it is mounted, or mounts it first. Does nothing where a volume has none. */
  grow(path: string, sizeBytes: number): Promise<void>;
  /** Removes it with its data, if there is one. */
  remove(path: string): Promise<void>;
  /** Removes it if nothing is in it. False: something is. */
  removeIfEmpty(path: string): Promise<boolean>;
}

/** Making a large one takes its time on a slow disk. */
const timeoutMs = 120_000;

/** What every new ext4 has. */
const ownEntries: ReadonlySet<string> = new Set(["lost+found"]);

/** Those of this machine, by its own programs. */
export function volumeImages({
  clock,
  mounts,
}: {
  readonly clock: Clock;
  readonly mounts: NodeMounts;
}): VolumeImages {
  const run = async (program: string, ...args: readonly string[]): Promise<void> => {
    try {
      await runProgram(program, args, { clock, timeoutMs });
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      throw new Error(
        `${program} is not on this machine: volumes of the class need it (Debian: util-linux, e2fsprogs)`,
        { cause: error },
      );
    }
  };
  const remove = async (path: string): Promise<void> => {
    const image = imageOf(path);
    if (!(await exists(image, clock))) return;
    await mounts.removeBelow(path);
    await clock.track(rm(image, { force: true }));
  };
  return {
    async make(path, sizeBytes) {
      const image = imageOf(path);
      if (!(await exists(image, clock))) {
        const half = `${image}.new`;
        await clock.track(mkdir(dirname(image), { recursive: true, mode: 0o700 }));
        await clock.track(rm(half, { force: true }));
        // Room that is promised is taken: nobody else can fill the disk below it.
        await run("fallocate", "-l", String(sizeBytes), half);
        await run("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard", half);
        await clock.track(rename(half, image));
      }
      await mounts.image(image, path);
    },
    async grow(path, sizeBytes) {
      const image = imageOf(path);
      if (!(await exists(image, clock))) return;
      await mounts.image(image, path);
      await run("fallocate", "-l", String(sizeBytes), image);
      const device = await deviceAt(path, clock);
      await run("losetup", "--set-capacity", device);
      try {
        await run("resize2fs", device);
      } catch (error) {
        if (!messageOf(error).includes("Permission denied")) throw error;
        throw new UnmetWishError(
          `the kernel lets only who has CAP_SYS_RESOURCE make a mounted file system larger, and the agent has not; ` +
            `${path} is as large as it should be when the node is started again`,
          { cause: error },
        );
      }
    },
    remove,
    async removeIfEmpty(path) {
      const image = imageOf(path);
      if (!(await exists(image, clock))) return true;
      await mounts.image(image, path);
      const entries = await clock.track(readdir(path));
      if (entries.some((name) => !ownEntries.has(name))) return false;
      await remove(path);
      return true;
    },
  };
}

async function exists(path: string, clock: Clock): Promise<boolean> {
  return await clock.track(
    access(path).then(
      () => true,
      () => false,
    ),
  );
}

async function deviceAt(path: string, clock: Clock): Promise<string> {
  const mounts = parseMounts(await clock.track(readFile("/proc/self/mountinfo", "utf8")));
  const source = mounts.findLast((mount) => mount.path === path)?.source;
  if (source === undefined) throw new Error(`nothing is mounted at ${path}`);
  return source;
}
