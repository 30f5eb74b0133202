import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock, silentLogger } from "@kedge/machinery";
import { loadArchive } from "./archive/load-archive.ts";
import { openOciStore, type OciStore } from "./oci-store.ts";
import { buildImage, dockerArchive, ociLayout, tarOf, type BuiltImage } from "./testing/test-image.ts";

let folder: string;
let store: OciStore;
const options = (limits?: { bytes: number; entries: number }) => ({
  folder: join(folder, "store"),
  clock: realClock,
  logger: silentLogger,
  architecture: "amd64",
  unpacks: true,
  ...(limits && { limits }),
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-oci-"));
  store = await openOciStore(options());
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const base = [
  { name: "etc/os", content: "base" },
  { name: "gone", content: "x" },
];
const config = {
  Entrypoint: ["/run"],
  Cmd: ["--now"],
  Env: ["PATH=/bin", "MODE=a=b"],
  User: "app",
  WorkingDir: "/srv",
  StopSignal: "SIGINT",
  Volumes: { "/data": {} },
};
const app = buildImage({ layers: [base, [{ name: "run", content: "app" }, { name: ".wh.gone" }]], config });
const other = buildImage({ layers: [base, [{ name: "run", content: "other" }]] });

async function file(name: string, bytes: Buffer): Promise<string> {
  await writeFile(join(folder, name), bytes);
  return join(folder, name);
}
const archiveOf = (image: BuiltImage, ...tags: string[]): Buffer => dockerArchive([{ image, tags }]);
const filesIn = async (name: string): Promise<readonly string[]> =>
  await readdir(join(folder, "store", name));

describe("an archive", () => {
  const layout = ociLayout([{ image: app, annotations: { "org.opencontainers.image.ref.name": "shop:1" } }]);
  it.each<[string, () => Promise<string>]>([
    ["of docker save", () => file("a.tar", archiveOf(app, "shop:1"))],
    [
      "of docker save, compressed by gzip",
      () => file("a.tgz", gzipSync(archiveOf(app, "docker.io/library/shop:1"))),
    ],
    ["of docker save, compressed by zstd", () => file("a.zst", zstdCompressSync(archiveOf(app, "shop:1")))],
    ["in OCI's format", () => file("a.tar", tarOf(layout))],
    [
      "in OCI's format, unpacked in a folder",
      async () => {
        for (const { name, content = "" } of layout) {
          await mkdir(dirname(join(folder, "layout", name)), { recursive: true });
          await writeFile(join(folder, "layout", name), content);
        }
        return join(folder, "layout");
      },
    ],
  ])("%s is loaded", async (_what, write) => {
    const [loaded, ...more] = await loadArchive(store, await write());
    expect(more).toEqual([]);
    expect(loaded).toMatchObject({ name: "shop:1", id: app.id, from: "archive" });
    const opened = await store.open("shop:1");
    const root = opened?.root ?? "";
    expect(readFileSync(join(root, "run"), "utf8")).toBe("app");
    expect(readFileSync(join(root, "etc/os"), "utf8")).toBe("base");
    expect(existsSync(join(root, "gone"))).toBe(false);
    expect(opened?.record.config).toEqual({
      entrypoint: ["/run"],
      command: ["--now"],
      environment: { PATH: "/bin", MODE: "a=b" },
      user: "app",
      workingDirectory: "/srv",
      stopSignal: "SIGINT",
      volumes: ["/data"],
    });
    expect(await filesIn("incoming")).toEqual([]);
  });

  it("of several images gives each its names", async () => {
    const bytes = dockerArchive([
      { image: app, tags: ["shop:1", "shop:latest"] },
      { image: other, tags: ["example.com:5000/team/other:2"] },
    ]);
    await loadArchive(store, await file("a.tar", bytes));
    expect((await store.list()).map(({ name }) => name)).toEqual([
      "example.com:5000/team/other:2",
      "shop:1",
      "shop:latest",
    ]);
  });

  it("of several platforms gives this machine's", async () => {
    const arm = buildImage({ layers: [base], architecture: "arm64" });
    const images = [
      { image: arm, platform: { os: "linux", architecture: "arm64" } },
      { image: app, platform: { os: "linux", architecture: "amd64" } },
    ];
    const path = await file("a.tar", tarOf(ociLayout(images)));
    expect(await loadArchive(store, path, "shop:2")).toMatchObject([{ name: "shop:2", id: app.id }]);
  });

  const small = { bytes: 4000, entries: 100 };
  const bomb = buildImage({ layers: [[{ name: "zeros", content: Buffer.alloc(1 << 20) }]] });
  const wrong = { ...app, tars: app.tars.toReversed() };
  const evil = buildImage({ layers: [[{ name: "../../escaped", content: "x" }]] });
  const many = buildImage({ layers: [Array.from({ length: 101 }, (_, i) => ({ name: `f${i}` }))] });
  it.each<[string, Buffer, string, RegExp]>([
    ["has no name", archiveOf(app), "NO_NAME", /does not say what its image is called/u],
    [
      "is for another machine",
      archiveOf(buildImage({ layers: [base], architecture: "arm64" }), "a:1"),
      "PLATFORM",
      /arm64.*amd64/u,
    ],
    ["is no archive", Buffer.alloc(2000, "x"), "ARCHIVE", /no tar archive/u],
    ["is cut off", archiveOf(app, "shop:1").subarray(0, 3000), "ARCHIVE", /cut off/u],
    ["holds no image", tarOf([{ name: "readme", content: "x" }]), "ARCHIVE", /neither manifest.json/u],
    ["has layers of another image", archiveOf(wrong, "shop:1"), "CORRUPT", /configuration says/u],
    ["leads out of the image", archiveOf(evil, "evil:1"), "UNSAFE", /leads out/u],
    [
      "is larger than it looks",
      tarOf(ociLayout([{ image: bomb, annotations: { "io.containerd.image.name": "bomb:1" } }])),
      "TOO_LARGE",
      /too much room|more than/u,
    ],
    [
      "has too many files",
      tarOf(ociLayout([{ image: many, annotations: { "io.containerd.image.name": "many:1" } }])),
      "TOO_LARGE",
      /too many files/u,
    ],
  ])("that %s is refused, and nothing of it stays", async (_what, bytes, code, message) => {
    const limits = code === "TOO_LARGE" ? { ...small, bytes: 60_000 } : undefined;
    const limited = await openOciStore(options(limits));
    await expect(loadArchive(limited, await file("a.tar", bytes))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    expect(await store.list()).toEqual([]);
    for (const place of ["blobs/sha256", "roots", "incoming", "trash"])
      expect(await filesIn(place)).toEqual([]);
    expect(existsSync(join(folder, "escaped"))).toBe(false);
  });

  it("with content that does not fit its digest is refused", async () => {
    const entries = ociLayout([{ image: app, annotations: { "io.containerd.image.name": "shop:1" } }]);
    const damaged = entries.map((entry) => {
      const [, layer] = app.blobs.keys();
      return entry.name.endsWith(layer?.slice(7) ?? "-") ? { ...entry, content: gzipSync("other") } : entry;
    });
    await expect(loadArchive(store, await file("a.tar", tarOf(damaged)))).rejects.toMatchObject({
      code: "CORRUPT",
    });
  });
});

describe("images", () => {
  it("share layers on the disk, and stay whole when the other one goes", async () => {
    await loadArchive(store, await file("a.tar", archiveOf(app, "shop:1")));
    await loadArchive(store, await file("b.tar", archiveOf(other, "other:1")));
    // One more that stands on the whole of the first.
    const onTop = buildImage({
      layers: [
        base,
        [{ name: "run", content: "app" }, { name: ".wh.gone" }],
        [{ name: "top", content: "t" }],
      ],
    });
    await loadArchive(store, await file("c.tar", archiveOf(onTop, "top:1")));
    const [first, second] = [await store.open("shop:1"), await store.open("top:1")];
    const inode = (root: string | undefined): number => statSync(join(root ?? "", "etc/os")).ino;
    expect(inode(second?.root)).toBe(inode(first?.root));
    await store.remove(["shop:1"]);
    expect(existsSync(first?.root ?? "")).toBe(false);
    expect(readFileSync(join(second?.root ?? "", "run"), "utf8")).toBe("app");
    expect(readFileSync(join(second?.root ?? "", "top"), "utf8")).toBe("t");
    await store.remove(["other:1", "top:1"]);
    for (const place of ["blobs/sha256", "roots", "names", "trash"]) expect(await filesIn(place)).toEqual([]);
  });

  it("in use stay until the container is gone", async () => {
    const [image] = await loadArchive(store, await file("a.tar", archiveOf(app, "shop:1", "shop:2")));
    if (image === undefined) throw new Error("not loaded");
    const container = join(folder, "container");
    await mkdir(container);
    const use = { container: "c1", image: image.id, chain: image.chain, folder: container };
    expect(await store.use(use)).toBe(true);
    // Another process shares the store.
    const elsewhere = await openOciStore(options());
    expect(await elsewhere.remove(["shop:1"])).toEqual({ inUse: [] });
    expect(await elsewhere.remove(["shop:2"])).toEqual({ inUse: [use] });
    expect(await store.open("shop:2")).toBeDefined();
    await store.release("c1");
    expect(await elsewhere.remove(["shop:2"])).toEqual({ inUse: [] });
    expect(await store.use(use)).toBe(false);
  });

  it("are free when a container's folder is gone, though nobody said so", async () => {
    const [image] = await loadArchive(store, await file("a.tar", archiveOf(app, "shop:1")));
    if (image === undefined) throw new Error("not loaded");
    await store.use({ container: "c1", image: image.id, chain: image.chain, folder: join(folder, "gone") });
    expect((await store.remove(["shop:1"])).inUse).toHaveLength(1);
    const hourAgo = realClock.now() / 1000 - 3600;
    await utimes(join(folder, "store/uses/c1"), hourAgo, hourAgo);
    expect(await store.remove(["shop:1"])).toEqual({ inUse: [] });
  });

  it("that are unpacked no more are unpacked again", async () => {
    await loadArchive(store, await file("a.tar", archiveOf(app, "shop:1")));
    const { root } = (await store.open("shop:1")) ?? { root: "" };
    await rm(dirname(root), { recursive: true });
    expect(readFileSync(join((await store.open("shop:1"))?.root ?? "", "run"), "utf8")).toBe("app");
  });

  it("can be loaded, opened and removed by several at once", async () => {
    const path = await file("a.tar", archiveOf(app, "shop:1"));
    const stores = await Promise.all(Array.from({ length: 4 }, () => openOciStore(options())));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        stores.map(async (each, i) => {
          await loadArchive(each, path, `shop:${i}`);
          expect(readFileSync(join((await each.open(`shop:${i}`))?.root ?? "", "run"), "utf8")).toBe("app");
          await each.remove([`shop:${i}`]);
        }),
      );
    }
    for (const place of ["blobs/sha256", "roots", "names", "trash", "incoming"])
      expect(await filesIn(place)).toEqual([]);
  });

  it("being loaded by a process that is killed leave nothing that counts, and are loaded by the next", async () => {
    const big = buildImage({
      layers: [base, Array.from({ length: 3000 }, (_, i) => ({ name: `d/${i}`, content: "x".repeat(2000) }))],
    });
    const path = await file("big.tar", archiveOf(big, "big:1"));
    const script = `
      import { openOciStore, loadArchive } from "@kedge/node";
      import { realClock, silentLogger } from "@kedge/machinery";
      import { watch } from "node:fs";
      const folder = ${JSON.stringify(join(folder, "store"))};
      const store = await openOciStore({ folder, clock: realClock, logger: silentLogger, architecture: "amd64", unpacks: true });
      // In the middle of the unpacking.
      watch(folder + "/roots", () => process.kill(process.pid, "SIGKILL"));
      await loadArchive(store, ${JSON.stringify(path)});
    `;
    const args = ["--conditions=kedge-source", "--input-type=module", "-e", script];
    const { signal, stderr } = spawnSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
    expect({ signal, stderr }).toEqual({ signal: "SIGKILL", stderr: "" });
    expect(await store.list()).toEqual([]);
    expect((await filesIn("incoming")).length).toBeGreaterThan(0);
    await loadArchive(store, path);
    expect(await readdir(join((await store.open("big:1"))?.root ?? "", "d"))).toHaveLength(3000);
    // What it left is deleted once it is old.
    const old = realClock.now() / 1000 - 48 * 3600;
    for (const place of ["incoming", "roots"]) {
      for (const name of await filesIn(place)) {
        if (place === "incoming" || name.startsWith(".making-"))
          await utimes(join(folder, "store", place, name), old, old);
      }
    }
    await store.remove(["big:1"]);
    for (const place of ["incoming", "roots", "blobs/sha256"]) expect(await filesIn(place)).toEqual([]);
  });
});
