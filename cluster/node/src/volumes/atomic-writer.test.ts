import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeAtomically } from "./atomic-writer.ts";
import type { Payload } from "./payload.ts";

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
