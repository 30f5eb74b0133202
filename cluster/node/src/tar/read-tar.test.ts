import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTar } from "./read-tar.ts";
import type { TarEntry } from "./types.ts";
import { tarEnd, tarHeader, tarPadding } from "./write-tar.ts";

async function read(
  archive: Buffer,
  piece = archive.length || 1,
): Promise<(TarEntry & { content: string })[]> {
  const found: (TarEntry & { content: string })[] = [];
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < archive.length; at += piece)
      yield await Promise.resolve(archive.subarray(at, at + piece));
  }
  await readTar(pieces(), (entry) => {
    const chunks: Buffer[] = [];
    return {
      data: (bytes) => chunks.push(Buffer.from(bytes)),
      end: () => found.push({ ...entry, content: Buffer.concat(chunks).toString("latin1") }),
    };
  });
  return found;
}

const plain = {
  type: "file",
  mode: 0o644,
  uid: 0,
  gid: 0,
  size: 0,
  mtime: 0,
  linkName: "",
  xattrs: new Map(),
} as const;

describe("an archive", () => {
  it.each(["gnu", "pax", "ustar"])("of the program tar in the format %s is read", async (format) => {
    const folder = await mkdtemp(join(tmpdir(), "kedge-tar-"));
    const long = format === "ustar" ? "long" : "x".repeat(120);
    try {
      await mkdir(join(folder, long));
      await writeFile(join(folder, long, "file"), "hello", { mode: 0o640 });
      await symlink("/etc/passwd", join(folder, "link"));
      await link(join(folder, long, "file"), join(folder, "zhard"));
      const args = ["--create", `--format=${format}`, "--sort=name", "-C", folder, "."];
      const archive = execFileSync("tar", args, { maxBuffer: 1 << 24 });
      for (const piece of [archive.length, 1000, 511, 7]) {
        const all = await read(archive, piece);
        const byName = new Map(all.map((entry) => [entry.name, entry]));
        expect(byName.get(`./${long}/`)).toMatchObject({ type: "folder" });
        const files = all.filter(({ type }) => type === "file");
        expect(files).toMatchObject([{ content: "hello", size: 5, mode: 0o640 }]);
        expect(byName.get("./link")).toMatchObject({ type: "symlink", linkName: "/etc/passwd" });
        expect(all.find(({ type }) => type === "hardlink")?.linkName).toBe(files[0]?.name);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("that we write is read as it was, whatever its names", async () => {
    const name = fc
      .string({ unit: "binary-ascii", minLength: 1, maxLength: 300 })
      .filter((text) => !text.includes("\0"));
    const entry = fc.record({
      name: name.map((text) => `f${text}`.replace(/\/+$/u, "")),
      mode: fc.integer({ min: 0, max: 0o7777 }),
      uid: fc.integer({ min: 0, max: 0xfffffffe }),
      gid: fc.integer({ min: 0, max: 0xfffffffe }),
      content: fc.string({ unit: "binary-ascii", maxLength: 2000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 5 }),
        fc.integer({ min: 1, max: 2000 }),
        async (all, piece) => {
          const parts = all.flatMap(({ content, ...rest }) => {
            const size = content.length;
            return [tarHeader({ ...plain, ...rest, size }), Buffer.from(content, "latin1"), tarPadding(size)];
          });
          const found = await read(Buffer.concat([...parts, tarEnd]), piece);
          expect(
            found.map(({ name: n, mode, uid, gid, content }) => ({ name: n, mode, uid, gid, content })),
          ).toEqual(all);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("keeps extended attributes", async () => {
    const xattrs = new Map([["security.capability", Buffer.from([1, 0, 0, 2, 0, 10, 0xff])]]);
    expect((await read(tarHeader({ ...plain, name: "ping", xattrs })))[0]?.xattrs).toEqual(xattrs);
  });

  const file = tarHeader({ ...plain, name: "file", size: 600 });
  it.each([
    ["is cut off in a header", file.subarray(0, 300), "cut off"],
    ["is cut off in a file", Buffer.concat([file, Buffer.alloc(512)]), "cut off"],
    ["is none", Buffer.alloc(1024, "x"), "no tar archive"],
    ["has a damaged header", Buffer.concat([Buffer.from("y"), file.subarray(1)]), "checksum"],
  ])("that %s is refused", async (_what, bytes, said) => {
    await expect(read(bytes)).rejects.toThrow(said);
  });

  it("never fails in any other way, whatever its bytes", async () => {
    const headers = fc.constantFrom(file, tarHeader({ ...plain, name: "x".repeat(200), size: 3 }));
    await fc.assert(
      fc.asyncProperty(
        headers,
        fc.array(fc.nat(2000), { maxLength: 4 }),
        fc.nat(255),
        async (bytes, places, to) => {
          const damaged = Buffer.concat([bytes, Buffer.alloc(1024)]);
          for (const place of places) damaged[place % damaged.length] = to;
          const outcome = await read(damaged).catch((error: unknown) => error);
          expect(outcome instanceof Error ? outcome.name : "TarError").toBe("TarError");
        },
      ),
      { numRuns: 200 },
    );
  });
});
