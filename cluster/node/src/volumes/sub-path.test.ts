import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { exchanging } from "../testing/exchanging.ts";
import { writeAtomically } from "./atomic-writer.ts";
import { pathOf } from "./descriptor.ts";
import { openSubPath } from "./sub-path.ts";

let parent = "";
let volume = "";
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "kedge-volume-"));
  volume = join(parent, "volume");
  await mkdir(volume);
});
afterEach(async () => {
  await rm(parent, { recursive: true, force: true });
});

/** Where the part really lies. */
async function opened(subPath: string): Promise<string> {
  await using handle = await openSubPath(volume, subPath);
  return await readlink(pathOf(handle));
}

it("makes folders that are not there, with the mode of the volume", async () => {
  await chmod(volume, 0o2777);
  expect(await opened("a/./b/")).toBe(join(volume, "a/b"));
  expect((await stat(join(volume, "a"))).mode & 0o7777).toBe(0o2777);
  expect((await stat(join(volume, "a/b"))).mode & 0o7777).toBe(0o2777);
});

it("opens files, through links that stay in the volume", async () => {
  await writeAtomically(volume, new Map([["redis.conf", { data: Buffer.from("x"), mode: 0o644 }]]), {
    version: "v1",
  });
  expect(await opened("redis.conf")).toBe(join(volume, "..v1/redis.conf"));
  await using handle = await openSubPath(volume, "redis.conf");
  expect(await readFile(pathOf(handle), "utf8")).toBe("x");
});

it("goes up by a link no further than the volume", async () => {
  await mkdir(join(volume, "a/b"), { recursive: true });
  await symlink("../../c", join(volume, "a/b/up"));
  expect(await opened("a/b/up")).toBe(join(volume, "c"));
  await symlink("../../../c", join(volume, "a/b/out"));
  await expect(opened("a/b/out")).rejects.toThrow('subPath "a/b/out": leads out of the volume');
});

it.each(["../x", "a/../../x", "/etc"])("refuses %s", async (path) => {
  await expect(opened(path)).rejects.toThrow("must be relative");
});

it("refuses a link that leads out of the volume, and one that leads to itself", async () => {
  await writeFile(join(parent, "secret"), "");
  await symlink(join(parent, "secret"), join(volume, "link"));
  await expect(opened("link")).rejects.toThrow("leads out of the volume");
  await symlink("round", join(volume, "round"));
  await expect(opened("round")).rejects.toThrow("too many levels of symbolic links");
});

it("what was opened stays the same, whatever takes its place", async () => {
  await mkdir(join(volume, "d"));
  await using handle = await openSubPath(volume, "d");
  await rename(join(volume, "d"), join(volume, "e"));
  await symlink("/", join(volume, "d"));
  expect(await readlink(pathOf(handle))).toBe(join(volume, "e"));
});

it("never leads out while somebody exchanges a folder and a link to /", async () => {
  await mkdir(join(volume, "d"));
  await symlink("/", join(volume, "l"));
  await using _turns = exchanging(join(volume, "d"), join(volume, "l"));
  let refused = 0;
  let entered = 0;
  for (let attempt = 0; attempt < 2000 && (refused < 20 || entered < 20); attempt += 1) {
    try {
      expect((await opened("d/deeper")).startsWith(`${volume}/`)).toBe(true);
      entered += 1;
    } catch (error) {
      if (error instanceof Error && error.name === "AssertionError") throw error;
      refused += 1;
    }
  }
  expect([refused > 0, entered > 0]).toEqual([true, true]);
});
