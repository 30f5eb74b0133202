import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock as clock, silentLogger as logger } from "@kedge/machinery";
import { createImageStore, createPackageCache } from "@kedge/node";
import { buildImage, type BuiltImage } from "@kedge/node/testing/oci-image";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cacheFolder } from "../node/laboratory.ts";
import { whyNoContainers } from "../node/needs.ts";
import { until } from "../real/wait.ts";
import { freePort } from "../testing/free-port.ts";
import { needs } from "../testing/needs.ts";

/** Debian's registry, as bookworm has it: only this test needs it. */
const pin = {
  name: "docker-registry",
  version: "2.8.2+ds1-1",
  path: "pool/main/d/docker-registry/docker-registry_2.8.2+ds1-1_amd64.deb",
  size: 4_954_916,
  sha256: "a9bd06c0e006854608f8469b4371743f40604ad90975532bb3b7ceeb72fe2913",
};
const path = process.env["PATH"] ?? "";
const cache = createPackageCache({ folder: cacheFolder(), clock, logger, path });
const fetched = createPackageCache({ folder: cacheFolder(), clock, logger, path, findPin: () => pin });
const program = await registryProgram();

async function registryProgram(): Promise<{ readonly file: string } | { readonly why: string }> {
  if (whyNoContainers() !== undefined) return { why: whyNoContainers() ?? "" };
  if (process.arch !== "x64") return { why: "the registry's package is pinned for amd64" };
  try {
    const [unpacked] = await fetched.unpack([pin.name]);
    return { file: join(unpacked?.folder ?? "", "usr/bin/docker-registry") };
  } catch (error) {
    return { why: `Debian's docker-registry cannot be fetched: ${String(error)}` };
  }
}

describe("Debian's docker-registry", needs("why" in program ? program.why : undefined), () => {
  // The hash of `U*U` by bcrypt, as its authors publish it.
  const password = "U*U";
  const users = "bob:$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\n";
  const authorization = `Basic ${Buffer.from(`bob:${password}`).toString("base64")}`;
  const image = buildImage({
    layers: [[{ name: "run", content: "real" }], [{ name: "big", content: "x".repeat(1 << 20) }]],
  });
  let folder = "";
  let host = "";
  let registry: ChildProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kedge-registry-"));
    const port = await freePort();
    host = `localhost:${port}`;
    await writeFile(join(folder, "users"), users);
    const config = {
      version: 0.1,
      log: { level: "error" },
      storage: { filesystem: { rootdirectory: join(folder, "data") } },
      http: { addr: `127.0.0.1:${port}` },
      auth: { htpasswd: { realm: "test", path: join(folder, "users") } },
    };
    // JSON is YAML.
    await writeFile(join(folder, "config.yml"), JSON.stringify(config));
    const file = "file" in program ? program.file : "";
    registry = spawn(file, ["serve", join(folder, "config.yml")], { stdio: "ignore" });
    registry.on("error", () => undefined);
    await until("the registry answers", async () => {
      const answer = await fetch(`http://${host}/v2/`).catch(() => undefined);
      return answer?.status === 401;
    });
    await push("team/app", "1", image);
  });
  afterAll(async () => {
    registry.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  async function push(repository: string, tag: string, pushed: BuiltImage): Promise<void> {
    const send = async (url: string, method: string, body?: Buffer, type?: string): Promise<Response> => {
      const answer = await fetch(url, {
        method,
        headers: { authorization, ...(type !== undefined && { "content-type": type }) },
        ...(body !== undefined && { body: new Uint8Array(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
      return answer;
    };
    const base = `http://${host}/v2/${repository}`;
    for (const [digest, blob] of pushed.blobs) {
      const begun = await send(`${base}/blobs/uploads/`, "POST");
      const to = new URL(begun.headers.get("location") ?? "", base);
      to.searchParams.set("digest", digest);
      await send(to.href, "PUT", blob, "application/octet-stream");
    }
    await send(
      `${base}/manifests/${tag}`,
      "PUT",
      pushed.manifest,
      "application/vnd.oci.image.manifest.v1+json",
    );
  }

  const secrets = (word: string) => () => Promise.resolve([{ place: host, username: "bob", password: word }]);

  it("gives an image to who may have it, by tag and by digest, and to nobody else", async () => {
    const images = createImageStore({ cache, clock, logger, folder: join(folder, "oci") });
    const name = `${host}/team/app:1`;
    await expect(images.resolve(name)).rejects.toThrow(/answered 401.*imagePullSecrets/u);
    await expect(images.resolve(name, { credentials: secrets("wrong") })).rejects.toThrow(/answered 401/u);
    const found = await images.resolve(name, { credentials: secrets(password) });
    expect(found.id).toBe(`${host}/team/app@${image.digest}`);
    expect(await readFile(join(found.layers[0] ?? "", "run"), "utf8")).toBe("real");
    const other = createImageStore({ cache, clock, logger, folder: join(folder, "oci-2") });
    const byDigest = await other.resolve(`${host}/team/app@${image.digest}`, {
      credentials: secrets(password),
    });
    expect(byDigest.id).toBe(found.id);
  });
});
