import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fitImage } from "./fit-image.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-fit-"));
  file = join(folder, "image");
  // As an ext4 says that it has 4 blocks of 1 KiB.
  const image = Buffer.alloc(64 * 1024);
  image.writeUInt32LE(4, 1024 + 4);
  await writeFile(file, image);
});
afterEach(() => rm(folder, { recursive: true }));

/** What is run while a loop device has the file for so many looks. */
async function programsWhile(looks: number): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const ran: string[] = [];
  let left = looks;
  const fit = fitImage(
    file,
    async (program) => {
      await Promise.resolve();
      if (program !== "losetup") ran.push(program);
      return program === "losetup" && (left -= 1) >= 0 ? "/dev/loop0: []" : "";
    },
    clock,
  );
  await clock.advance(10_000);
  await fit;
  return ran;
}

it("waits for a file system that is being let go", async () => {
  expect(await programsWhile(5)).toEqual(["e2fsck", "resize2fs"]);
});

it("leaves one that somebody uses", async () => {
  expect(await programsWhile(Infinity)).toEqual([]);
});
