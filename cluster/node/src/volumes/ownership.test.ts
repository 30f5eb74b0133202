import { chmod, mkdir, mkdtemp, rm, stat, lstat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exchanging } from "../testing/exchanging.ts";
import { giveToGroup } from "./ownership.ts";

const group = 4711;

describe("giveToGroup", () => {
  let parent = "";
  let volume = "";
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "kedge-group-"));
    volume = join(parent, "volume");
    await mkdir(volume);
    await writeFile(join(parent, "host"), "", { mode: 0o600 });
    await mkdir(join(parent, "hosts"), { mode: 0o700 });
  });
  beforeEach(({ skip }) => {
    if (process.getuid?.() !== 0) skip("giving files away needs root");
  });
  afterEach(async () => {
    await rm(parent, { recursive: true, force: true });
  });
  const seen = async (path: string): Promise<string> => {
    const { gid, mode } = await stat(join(parent, path));
    return `${gid === group ? "theirs" : "ours"} ${(mode & 0o7777).toString(8)}`;
  };

  it("gives all in a folder, and of links only the links themselves", async () => {
    await mkdir(join(volume, "a"), { mode: 0o700 });
    await writeFile(join(volume, "a/f"), "", { mode: 0o600 });
    await symlink("../host", join(volume, "l"));
    await symlink("../hosts", join(volume, "m"));
    await giveToGroup(volume, group, { onlyOnMismatch: false });
    expect(await seen("volume")).toBe("theirs 2775");
    expect(await seen("volume/a")).toBe("theirs 2770");
    expect(await seen("volume/a/f")).toBe("theirs 660");
    expect((await lstat(join(volume, "l"))).gid).toBe(group);
    expect([await seen("host"), await seen("hosts")]).toEqual(["ours 600", "ours 700"]);
  });

  it("reaches names that are not UTF-8", async () => {
    const name = Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0xff, 0xfe])]);
    await writeFile(name, "", { mode: 0o600 });
    await giveToGroup(volume, group, { onlyOnMismatch: false });
    expect((await stat(name)).gid).toBe(group);
  });

  it("leaves a folder alone that is right already, if so asked", async () => {
    await giveToGroup(volume, group, { onlyOnMismatch: true });
    await writeFile(join(volume, "late"), "", { mode: 0o600 });
    await chmod(join(volume, "late"), 0o600);
    await giveToGroup(volume, group, { onlyOnMismatch: true });
    expect(await seen("volume/late")).toBe("theirs 600");
  });

  it.each([
    ["a file", "host", (path: string) => writeFile(path, "", { mode: 0o600 })],
    ["a folder", "hosts", (path: string) => mkdir(path, { mode: 0o700 })],
  ])("gives away nothing of the machine's while %s and a link take turns", async (_what, target, make) => {
    const before = await seen(target);
    for (const name of ["x", "y", "z"]) await make(join(volume, name));
    await symlink(join("..", target), join(volume, "link"));
    await using _turns = exchanging(join(volume, "x"), join(volume, "link"));
    for (let round = 0; round < 100; round += 1) {
      await giveToGroup(volume, group, { onlyOnMismatch: false });
    }
    expect(await seen(target)).toBe(before);
  });

  it("ends when nobody wants it any more", async () => {
    await writeFile(join(volume, "f"), "");
    const done = giveToGroup(volume, group, { onlyOnMismatch: false, signal: AbortSignal.abort() });
    await expect(done).rejects.toThrow("abort");
  });
});
