import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock, silentLogger } from "@kedge/machinery";
import { setAttributes } from "./set-attributes.ts";
import { tarOf, type TestEntry } from "./testing/test-image.ts";
import { unpackLayer, type FileAttribute } from "./unpack-layer.ts";

let place: string;
let root: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "kedge-unpack-"));
  root = join(place, "root");
  await mkdir(root);
  await writeFile(join(place, "outside"), "mine");
});
afterEach(() => rm(place, { recursive: true, force: true }));

async function unpack(
  entries: readonly TestEntry[],
  budget = { bytes: 1 << 20, entries: 1000, names: 1 << 20 },
): Promise<readonly FileAttribute[]> {
  const tar = tarOf(entries);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < tar.length; at += 700) yield await Promise.resolve(tar.subarray(at, at + 700));
  }
  return await unpackLayer(pieces(), root, budget);
}

const at = (path: string): string => join(root, path);
const text = (path: string): string => readFileSync(at(path), "utf8");

describe("a layer", () => {
  it("brings files, folders and links, with their modes and times", async () => {
    await unpack([
      { name: "bin/", mode: 0o711 },
      { name: "bin/su", content: "#!", mode: 0o4755 },
      { name: "bin/sh", type: "symlink", linkName: "su" },
      { name: "bin/hard", type: "hardlink", linkName: "bin/su" },
      { name: "made/on/the/way", content: "x" },
      { name: "./dot", content: "y" },
      { name: "/absolute", content: "z" },
      { name: "tmp/", mode: 0o1777 },
    ]);
    expect(lstatSync(at("bin")).mode & 0o7777).toBe(0o711);
    expect(lstatSync(at("bin/su")).mode & 0o7777).toBe(0o4755);
    expect(lstatSync(at("bin/su")).mtimeMs).toBe(1_700_000_000_000);
    expect(lstatSync(at("tmp")).mode & 0o7777).toBe(0o1777);
    expect(readlinkSync(at("bin/sh"))).toBe("su");
    expect(lstatSync(at("bin/hard")).ino).toBe(lstatSync(at("bin/su")).ino);
    expect([text("made/on/the/way"), text("dot"), text("absolute")]).toEqual(["x", "y", "z"]);
  });

  it("replaces files without changing what other names of them hold", async () => {
    await unpack([
      { name: "a", content: "old" },
      { name: "b", type: "hardlink", linkName: "a" },
      { name: "c/x", content: "1" },
    ]);
    await unpack([
      { name: "a", content: "new" },
      { name: "c", content: "a file now" },
    ]);
    expect([text("a"), text("b"), text("c")]).toEqual(["new", "old", "a file now"]);
  });

  it("takes away what a whiteout names, and nothing that it brings itself", async () => {
    await unpack([
      { name: "d/one", content: "1" },
      { name: "d/two", content: "2" },
      { name: "e/f/g", content: "3" },
    ]);
    await unpack([
      { name: "d/.wh.one" },
      { name: ".wh.e" },
      { name: "d/three", content: "3" },
      { name: "d/.wh.three" },
    ]);
    expect(await readdir(at("d"))).toEqual(["three", "two"]);
    expect(existsSync(at("e"))).toBe(false);
  });

  it("hides all that was in an opaque folder before, wherever the mark is", async () => {
    await unpack([
      { name: "d/one", content: "1" },
      { name: "d/sub/two", content: "2" },
    ]);
    await unpack([
      { name: "d/new", content: "n" },
      { name: "d/.wh..wh..opq" },
      { name: "d/after", content: "a" },
    ]);
    expect((await readdir(at("d"))).toSorted()).toEqual(["after", "new"]);
  });

  it("goes through links of the image as a process inside would", async () => {
    await unpack([
      { name: "usr/lib/", mode: 0o755 },
      { name: "lib", type: "symlink", linkName: "usr/lib" },
      { name: "abs", type: "symlink", linkName: "/usr/lib" },
      { name: "up", type: "symlink", linkName: "../../../../usr" },
    ]);
    await unpack([
      { name: "lib/a", content: "1" },
      { name: "abs/b", content: "2" },
      { name: "up/c", content: "3" },
    ]);
    expect([text("usr/lib/a"), text("usr/lib/b"), text("usr/c")]).toEqual(["1", "2", "3"]);
  });

  it("leaves devices and pipes out", async () => {
    await unpack([
      { name: "dev/sda", type: "other" },
      { name: "file", content: "x" },
    ]);
    expect(existsSync(at("dev/sda"))).toBe(false);
    expect(text("file")).toBe("x");
  });

  it("gives files their capabilities, and no mark of an overlay", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root may set file capabilities");
    if (process.arch !== "x64") skip("the number of the call that looks is that of x64");
    const capability = Buffer.from("0100000200200000000000000000000000000000", "hex");
    const attributes = await unpack([
      {
        name: "ping",
        xattrs: new Map([
          ["security.capability", capability],
          ["trusted.overlay.opaque", Buffer.from("y")],
        ]),
      },
    ]);
    await setAttributes(root, attributes, { clock: realClock, logger: silentLogger });
    const script =
      'my ($k, $v) = ("security.capability", "\\0" x 64); my $n = syscall(191, $ARGV[0], $k, $v, 64); print unpack "H*", substr $v, 0, $n';
    const found = execFileSync("perl", ["-e", script, at("ping")], { encoding: "utf8" });
    expect(found).toBe(capability.toString("hex"));
    expect(attributes.map(({ name }) => name)).toEqual(["security.capability"]);
  });
});

describe("a hostile layer", () => {
  const link = { name: "way", type: "symlink", linkName: "../.." } as const;
  it.each<[string, readonly TestEntry[]]>([
    ["names a file above", [{ name: "../outside", content: "theirs" }]],
    ["hides a way up in a name", [{ name: "a/../../outside", content: "theirs" }]],
    ["links to a file above", [{ name: "x", type: "hardlink", linkName: "../outside" }]],
    ["links to a file of the machine", [{ name: "x", type: "hardlink", linkName: "/etc/hostname" }]],
    ["links through a link to above", [link, { name: "x", type: "hardlink", linkName: "way/outside" }]],
    ["takes away a folder above", [{ name: "a/.wh..." }]],
    ["takes away its own root", [{ name: ".wh.." }]],
    ["links to a folder", [{ name: "d/" }, { name: "x", type: "hardlink", linkName: "d" }]],
    [
      "has a file where others lie in",
      [
        { name: "f", content: "x" },
        { name: "f/g", content: "y" },
      ],
    ],
    [
      "links in a circle",
      [
        { name: "l", type: "symlink", linkName: "l" },
        { name: "l/x", content: "" },
      ],
    ],
    ["has an owner that cannot be", [{ name: "x", uid: 2 ** 40 }]],
    ["has too long a name", [{ name: `a/${"x".repeat(300)}` }]],
  ])("that %s is refused", async (_what, entries) => {
    await expect(unpack(entries)).rejects.toMatchObject({ name: "ImageError", code: "UNSAFE" });
    expect(readFileSync(join(place, "outside"), "utf8")).toBe("mine");
  });

  it.each<[string, readonly TestEntry[]]>([
    ["through a link", [link, { name: "way/outside", content: "theirs" }]],
    ["by a whiteout behind a link", [link, { name: "way/.wh.outside" }]],
    ["by an opaque mark behind a link", [link, { name: "way/.wh..wh..opq" }]],
    [
      "through a link that takes a folder's place",
      [
        { name: "d/x", content: "1" },
        { ...link, name: "d" },
        { name: "d/outside", content: "2" },
      ],
    ],
    [
      "over a link",
      [
        { name: "l", type: "symlink", linkName: "../outside" },
        { name: "l", content: "theirs" },
      ],
    ],
    ["by the mode of a link", [{ name: "l", type: "symlink", linkName: "../outside", mode: 0 }]],
  ])("reaches nothing outside %s", async (_what, entries) => {
    await unpack(entries);
    expect(readFileSync(join(place, "outside"), "utf8")).toBe("mine");
    expect((await readdir(place)).toSorted()).toEqual(["outside", "root"]);
  });

  it.each([
    ["bytes", { bytes: 10, entries: 9, names: 99 }],
    ["entries", { bytes: 999, entries: 1, names: 99 }],
    ["names", { bytes: 999, entries: 9, names: 5 }],
  ])("with too many %s is refused", async (_what, budget) => {
    const entries = [
      { name: "one", content: "123456" },
      { name: "two", content: "123456" },
    ];
    await expect(unpack(entries, budget)).rejects.toMatchObject({ code: "TOO_LARGE" });
  });
});
