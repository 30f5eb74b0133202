import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock, silentLogger } from "@kedge/machinery";
import { createPackageCache, findPrograms, type PackageCache, type PackageProgress } from "@kedge/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cacheFolder } from "./laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

describe("a package cache", needs(whyNoContainers()), () => {
  const files = new Map<string, Buffer>();
  const requests: string[] = [];
  let server: Server;
  let mirror: string;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kedge-packages-"));
    server = createServer((request, response) => {
      requests.push(request.url ?? "");
      const file = files.get(request.url ?? "");
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    files.set("/pool/hello_1.0_amd64.deb", await buildPackage(folder, "hello", "1.0"));
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  const cacheIn = (
    name: string,
    more: { sha256?: string; onProgress?: (progress: PackageProgress) => void; keyring?: string } = {},
  ): PackageCache => {
    const file = files.get("/pool/hello_1.0_amd64.deb") ?? Buffer.alloc(0);
    const { sha256 = createHash("sha256").update(file).digest("hex"), ...options } = more;
    return createPackageCache({
      folder: join(folder, name),
      clock: realClock,
      logger: silentLogger,
      path: process.env["PATH"] ?? "",
      mirrors: [mirror],
      architecture: "amd64",
      findPin: (wanted) => ({
        name: wanted,
        version: "1.0",
        path: `pool/${wanted}_1.0_amd64.deb`,
        sha256,
        size: file.length,
      }),
      ...options,
    });
  };

  it("unpacks a package once, and tells how far it is", async () => {
    const progress: PackageProgress[] = [];
    const cache = cacheIn("once", { onProgress: (step) => progress.push(step) });
    requests.length = 0;
    const both = await Promise.all([cache.unpack(["hello"]), cache.unpack(["hello"])]);
    expect(both[0]).toEqual(both[1]);
    const [unpacked] = both[0];
    expect(unpacked).toMatchObject({ name: "hello", version: "1.0" });
    expect(await readFile(join(unpacked?.folder ?? "", "usr/share/hello"), "utf8")).toBe("hello 1.0\n");
    await cacheIn("once").unpack(["hello"]);
    expect(requests).toEqual(["/pool/hello_1.0_amd64.deb"]);
    expect(progress.map(({ state }) => state)).toContain("downloading");
    expect(progress.at(-1)).toMatchObject({ package: "hello", state: "unpacked" });
  });

  it("may be filled by several at the same time, and has no halves", async () => {
    const caches = Array.from({ length: 5 }, () => cacheIn("shared"));
    const all = await Promise.all(caches.map((cache) => cache.unpack(["hello"])));
    expect(new Set(all.map(([unpacked]) => unpacked?.folder)).size).toBe(1);
    expect(await readdir(join(folder, "shared/debian/bookworm"))).toEqual(["hello_1.0_amd64"]);
  });

  it("refuses a file with another sum, and keeps nothing of it", async () => {
    const wrong = cacheIn("wrong", { sha256: "0".repeat(64) });
    await expect(wrong.unpack(["hello"])).rejects.toMatchObject({ name: "PackageError", code: "CHECKSUM" });
    expect(existsSync(join(folder, "wrong/debian/bookworm/hello_1.0_amd64"))).toBe(false);
  });

  it("does not believe an index that Debian has not signed when a pinned file is gone", async () => {
    files.set("/dists/bookworm/InRelease", Buffer.from("Suite: bookworm\nSHA256:\n"));
    await expect(cacheIn("gone").unpack(["vanished"])).rejects.toMatchObject({ code: "UNVERIFIED" });
  });

  it("takes the suite's current version from Debian itself when a pinned file is gone", async () => {
    const cache = createPackageCache({
      folder: join(folder, "moved"),
      clock: realClock,
      logger: silentLogger,
      path: process.env["PATH"] ?? "",
      findPin: (name) => ({ name, version: "0", path: "pool/main/n/no.deb", sha256: "", size: 0 }),
    });
    const [unpacked] = await cache.unpack(["liblzf1"]);
    expect(unpacked?.version).toMatch(/^3\.6/u);
    expect(await readdir(join(unpacked?.folder ?? "", "usr/lib"))).not.toEqual([]);
  });

  it("brings every program that a machine may lack, and it starts", async () => {
    const cache = createPackageCache({
      folder: cacheFolder(),
      clock: realClock,
      logger: silentLogger,
      path: process.env["PATH"] ?? "",
    });
    // What is found in the administrator's folders anyway is not fetched: here, `ip` may be.
    const programs = await findPrograms({ cache, clock: realClock, path: "/usr/bin:/bin" });
    for (const [program, option] of [
      [programs.runc, "--version"],
      [programs.conmon, "--version"],
      [programs.nft, "--version"],
      [programs.ip, "-V"],
    ] as const) {
      expect(execFileSync(program, [option]).toString()).toMatch(/\d+\.\d+/u);
    }
  });
});

async function buildPackage(folder: string, name: string, version: string): Promise<Buffer> {
  const tree = join(folder, `${name}-tree`);
  await mkdir(join(tree, "DEBIAN"), { recursive: true });
  await mkdir(join(tree, "usr/share"), { recursive: true });
  const control = {
    Package: name,
    Version: version,
    Architecture: "amd64",
    Maintainer: "Kedge <a@b>",
    Description: "x",
  };
  const lines = Object.entries(control).map(([field, value]) => `${field}: ${value}\n`);
  await writeFile(join(tree, "DEBIAN/control"), lines.join(""));
  await writeFile(join(tree, "usr/share", name), `${name} ${version}\n`);
  execFileSync("dpkg-deb", ["--build", tree, join(folder, `${name}.deb`)]);
  return await readFile(join(folder, `${name}.deb`));
}
