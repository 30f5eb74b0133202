import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock as clock, realRandom, silentLogger as logger } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import type { Digest } from "../digest.ts";
import { parseImageName } from "../image-name.ts";
import type { ImageRecord } from "../image-record.ts";
import { openOciStore, type OciStore } from "../oci-store.ts";
import { buildImage } from "../testing/test-image.ts";
import { startTestRegistry, type TestRegistryOptions } from "../testing/test-registry.ts";
import type { RegistryCredential } from "./docker-config.ts";
import { pullImage } from "./pull-image.ts";
import { createRegistryTransport } from "./registry-transport.ts";

let folder: string;
let store: OciStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-pull-"));
  store = await openOciStore({ folder, clock, logger, architecture: "amd64", unpacks: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

// It does not compress.
const noise = Buffer.concat(
  Array.from({ length: 5000 }, (_, i) => createHash("sha256").update(String(i)).digest()),
);
const app = buildImage({ layers: [[{ name: "base", content: noise }], [{ name: "run", content: "app" }]] });
const arm = buildImage({ layers: [[{ name: "run", content: "arm" }]], architecture: "arm64" });

async function pull(
  name: string,
  { credentials = [], authorities }: { credentials?: RegistryCredential[]; authorities?: string[] } = {},
): Promise<ImageRecord> {
  using transport = createRegistryTransport({ clock, authorities });
  const { signal } = new AbortController();
  return await pullImage(parseImageName(name), { store, transport, clock, credentials, signal });
}

async function registry(options: TestRegistryOptions = {}) {
  const started = await startTestRegistry(options);
  started.push("team/app", "1", app);
  return started;
}

const fileIn = async (name: string, path: string): Promise<string> =>
  readFileSync(join((await store.open(name))?.root ?? "", path), "utf8");

describe("a pull", () => {
  it("brings an image by its tag, and nothing twice", async () => {
    await using local = await registry();
    const name = `${local.host}/team/app:1`;
    const record = await pull(name);
    expect(record).toMatchObject({
      name,
      id: app.id,
      from: "registry",
      repoDigests: [`${local.host}/team/app@${app.digest}`],
    });
    expect(await fileIn(name, "run")).toBe("app");
    local.log.length = 0;
    await pull(name);
    expect(local.log.filter((line) => line.includes("/blobs/"))).toEqual([]);
    // Another image with the same lower layer.
    const next = buildImage({
      layers: [[{ name: "base", content: noise }], [{ name: "run", content: "next" }]],
    });
    local.push("team/app", "2", next);
    await pull(`${local.host}/team/app:2`);
    expect(local.log.filter((line) => line.includes("/blobs/"))).toHaveLength(2);
    expect(await fileIn(`${local.host}/team/app:2`, "run")).toBe("next");
  });

  it("brings this machine's image of several, known by the digest of them all", async () => {
    await using local = await registry();
    const digest = local.pushIndex("team/app", "multi", { "linux/arm64": arm, "linux/amd64": app });
    const record = await pull(`${local.host}/team/app:multi`);
    expect(record).toMatchObject({ id: app.id, repoDigests: [`${local.host}/team/app@${digest}`] });
    expect(await pull(`${local.host}/team/app@${digest}`)).toMatchObject({ id: app.id });
    const none = local.pushIndex("team/app", "arm", { "linux/arm64": arm });
    await expect(pull(`${local.host}/team/app@${none}`)).rejects.toMatchObject({ code: "PLATFORM" });
  });

  it("brings layers that are compressed by zstd", async () => {
    await using local = await registry();
    local.push(
      "team/zstd",
      "1",
      buildImage({ layers: [[{ name: "run", content: "z" }]], compress: zstdCompressSync }),
    );
    await pull(`${local.host}/team/zstd:1`);
    expect(await fileIn(`${local.host}/team/zstd:1`, "run")).toBe("z");
  });

  const bob = (place: string, password = "secret"): RegistryCredential => ({
    place,
    username: "bob",
    password,
  });
  it.each(["bearer", "basic"] as const)(
    "says who one is, by %s, to nobody whom it is not meant for",
    async (auth) => {
      await using local = await registry({ users: { bob: "secret" }, auth });
      const name = `${local.host}/team/app:1`;
      const refused = {
        code: "FAILED",
        message: expect.stringMatching(/answered 401.*imagePullSecrets.*kedge image load/u) as string,
      };
      await expect(pull(name)).rejects.toMatchObject(refused);
      await expect(pull(name, { credentials: [bob("elsewhere.example.com")] })).rejects.toMatchObject(
        refused,
      );
      await expect(pull(name, { credentials: [bob(local.host, "wrong")] })).rejects.toMatchObject(refused);
      // The next one that fits is tried, too.
      const credentials = [bob(`${local.host}/team`, "wrong"), bob(local.host)];
      expect(await pull(name, { credentials })).toMatchObject({ id: app.id });
    },
  );

  it("follows to another place for content, without saying there who one is", async () => {
    const seen: (string | undefined)[] = [];
    await using storage = await registry({
      onRequest: (request) => {
        seen.push(request.headers.authorization);
        return false;
      },
    });
    await using local = await registry({
      users: { bob: "secret" },
      onRequest: (request, response) => {
        if (request.url?.includes("/blobs/") !== true || request.headers.authorization === undefined)
          return false;
        response
          .writeHead(307, { location: `http://127.0.0.1:${storage.host.split(":")[1]}${request.url}` })
          .end();
        return true;
      },
    });
    await pull(`${local.host}/team/app:1`, { credentials: [bob(local.host)] });
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  it("goes on where it was cut off", async () => {
    const ranges: (string | undefined)[] = [];
    let cuts = 0;
    await using local = await registry({
      onRequest: (request, response) => {
        const layer = [...app.blobs.entries()].find(
          ([digest, blob]) => blob.length > 10_000 && request.url?.endsWith(digest),
        );
        if (layer === undefined) return false;
        ranges.push(request.headers.range);
        if (cuts === 3) return false;
        cuts += 1;
        const from = Number(/\d+/u.exec(request.headers.range ?? "0")?.[0]);
        const [, blob] = layer;
        response.writeHead(from === 0 ? 200 : 206, {
          "content-length": blob.length - from,
          "content-range": `bytes ${from}-${blob.length - 1}/${blob.length}`,
        });
        response.write(blob.subarray(from, from + 5000), () => response.destroy());
        return true;
      },
    });
    await pull(`${local.host}/team/app:1`);
    expect(ranges[0]).toBeUndefined();
    expect(ranges.length).toBe(4);
    expect(ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/u.test(range ?? ""))).toBe(true);
    expect(await fileIn(`${local.host}/team/app:1`, "run")).toBe("app");
  });

  it("tries again when the registry is overloaded for a moment", async () => {
    let times = 0;
    await using local = await registry({
      onRequest: (request, response) => {
        if (request.url?.includes("/manifests/") !== true || (times += 1) > 2) return false;
        response.writeHead(503).end();
        return true;
      },
    });
    expect(await pull(`${local.host}/team/app:1`)).toMatchObject({ id: app.id });
    expect(times).toBe(3);
  });

  it("speaks https with those whom it trusts, and with nobody else", async () => {
    const authority = await createAuthority({ name: "test-ca", clock, random: realRandom });
    const serving = await authority.issueServing({ name: "registry", hosts: ["localhost"] });
    await using local = await registry({ tls: serving });
    const name = `${local.host}/team/app:1`;
    await expect(pull(name)).rejects.toMatchObject({ code: "FAILED" });
    expect(await pull(name, { authorities: [authority.certificate] })).toMatchObject({ id: app.id });
  });

  it.each<[string, RegExp | string]>([
    ["localhost:1/team/app:1", /localhost:1 cannot be reached.*kedge image load FILE\.tar/u],
    ["registry.invalid/team/app:1", /registry\.invalid cannot be reached/u],
  ])("of %s fails with the way out", async (name, message) => {
    await expect(pull(name)).rejects.toMatchObject({
      code: "FAILED",
      message: expect.stringMatching(message) as string,
    });
  });

  it("of what is not there says so", async () => {
    await using local = await registry();
    await expect(pull(`${local.host}/team/app:none`)).rejects.toMatchObject({
      code: "FAILED",
      message: expect.stringMatching(
        /answered 404: manifest unknown; to run it from an archive: kedge image load/u,
      ) as string,
    });
  });

  const [, layer] = app.blobs.keys();
  it.each<[string, (original: Buffer) => Buffer]>([
    ["is other than its digest says", ({ length }) => Buffer.alloc(length, "x")],
    ["is longer than its manifest says", () => Buffer.alloc(1 << 20)],
  ])("of content that %s takes nothing", async (_what, change) => {
    await using local = await registry();
    const original = app.blobs.get(layer as Digest) ?? Buffer.alloc(0);
    local.damage(layer as Digest, change(original));
    await expect(pull(`${local.host}/team/app:1`)).rejects.toMatchObject({ code: "CORRUPT" });
    expect(await store.list()).toEqual([]);
    expect(await readdir(join(folder, "incoming"))).toEqual([]);
  });

  it("of a manifest without end is cut short", async () => {
    await using local = await registry({
      onRequest: (request, response) => {
        if (request.url?.includes("/manifests/") !== true) return false;
        response.writeHead(200);
        const more = (): void => void (response.destroyed || response.write(Buffer.alloc(1 << 16), more));
        more();
        return true;
      },
    });
    await expect(pull(`${local.host}/team/app:1`)).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  it("never leaves encryption behind for a place that is not this machine", async () => {
    await using local = await registry({
      onRequest: (_request, response) => {
        response.writeHead(307, { location: "http://registry.example.com/v2/" }).end();
        return true;
      },
    });
    await expect(pull(`${local.host}/team/app:1`)).rejects.toThrow(/not https/u);
  });
});
