import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeAtomically } from "./atomic-writer.ts";
import type { Payload } from "./payload.ts";
import { subPathOf } from "./sub-path.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-volume-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function files(texts: Readonly<Record<string, string>>, mode = 0o640): Payload {
  return new Map(Object.entries(texts).map(([path, text]) => [path, { data: Buffer.from(text), mode }]));
}

describe("writeAtomically", () => {
  it("files are links through ..data, with the mode that was asked for", async () => {
    await writeAtomically(folder, files({ "a.conf": "1", "deep/b": "2" }), { version: "v1" });
    expect(await readlink(join(folder, "..data"))).toBe("..v1");
    expect(await readlink(join(folder, "a.conf"))).toBe("..data/a.conf");
    expect(await readFile(join(folder, "deep/b"), "utf8")).toBe("2");
    expect((await stat(join(folder, "a.conf"))).mode & 0o777).toBe(0o640);
  });

  it("a change replaces all at once, and removes what is not there any more", async () => {
    await writeAtomically(folder, files({ a: "1", old: "x" }), { version: "v1" });
    expect(await writeAtomically(folder, files({ a: "2", fresh: "y" }), { version: "v2" })).toEqual({
      changed: true,
    });
    expect(await readdir(folder)).toEqual(["..data", "..v2", "a", "fresh"]);
    expect(await readFile(join(folder, "a"), "utf8")).toBe("2");
  });

  it("the same again changes nothing", async () => {
    await writeAtomically(folder, files({ a: "1" }), { version: "v1" });
    expect(await writeAtomically(folder, files({ a: "1" }), { version: "v2" })).toEqual({ changed: false });
    expect(await readlink(join(folder, "..data"))).toBe("..v1");
  });

  it("what an interrupted write left behind does not disturb", async () => {
    await writeAtomically(folder, files({ a: "1" }), { version: "v1" });
    await symlink("nowhere", join(folder, "..data_tmp"));
    await writeAtomically(folder, files({ a: "2" }), { version: "v2" });
    expect(await readFile(join(folder, "a"), "utf8")).toBe("2");
  });
});

describe("subPathOf", () => {
  it("makes folders that are not there", async () => {
    expect(await subPathOf(folder, "a/b")).toBe(join(folder, "a/b"));
    expect((await stat(join(folder, "a/b"))).isDirectory()).toBe(true);
  });

  it("follows links inside the volume, to the file itself", async () => {
    await writeAtomically(folder, files({ "redis.conf": "x" }), { version: "v1" });
    expect(await subPathOf(folder, "redis.conf")).toBe(join(folder, "..v1/redis.conf"));
  });

  it.each(["../x", "a/../../x", "/etc"])("refuses %s", async (path) => {
    await expect(subPathOf(folder, path)).rejects.toThrow("must be relative");
  });

  it("refuses a link that leads out of the volume", async () => {
    const inside = join(folder, "volume");
    await mkdir(inside);
    await writeFile(join(folder, "secret"), "");
    await symlink(join(folder, "secret"), join(inside, "link"));
    await expect(subPathOf(inside, "link")).rejects.toThrow("leads out of the volume");
  });
});
