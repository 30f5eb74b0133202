import { open } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";

/** Runs a program, and gives what it printed. */
export type Run = (program: string, args: readonly string[]) => Promise<string>;

/** What was unmounted is let go a moment later, when the last namespace that had a copy of the mount is gone. */
const patienceMs = 3000;
const pauseMs = 100;

/**
 * Lets the ext4 in a file be as large as the file, before it is mounted. It is left as it is when a loop device keeps the
 * file: somebody may be using it.
 */
export async function fitImage(file: string, run: Run, clock: Clock): Promise<void> {
  if (!(await clock.track(isTooSmall(file)))) return;
  const until = clock.monotonic() + patienceMs;
  while ((await run("losetup", ["--associated", file])).trim() !== "") {
    if (clock.monotonic() >= until) return;
    await clock.sleep(pauseMs);
  }
  // What was not unmounted in good order is put right by it, too.
  await run("e2fsck", ["-f", "-p", file]);
  await run("resize2fs", [file]);
}

/** Where the description of an ext4 begins, and how much of it is read. */
const superblock = { position: 1024, length: 1024 };

async function isTooSmall(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(
    Buffer.alloc(superblock.length),
    0,
    superblock.length,
    superblock.position,
  );
  const blockSize = 1024 << buffer.readUInt32LE(0x18);
  const blocks = buffer.readUInt32LE(0x04) + buffer.readUInt32LE(0x1_50) * 2 ** 32;
  const { size } = await handle.stat();
  return blocks * blockSize + blockSize <= size;
}
