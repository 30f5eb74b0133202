import { open } from "node:fs/promises";

/** Runs a program, and gives what it printed. */
export type Run = (program: string, args: readonly string[]) => Promise<string>;

/**
 * Lets the ext4 in a file be as large as the file, before it is mounted. It is left as it is while a loop device has the
 * file: somebody may be using it.
 */
export async function fitImage(file: string, run: Run): Promise<void> {
  if (!(await isTooSmall(file)) || (await run("losetup", ["--associated", file])).trim() !== "") return;
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
