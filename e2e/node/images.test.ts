import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLaboratory, type Laboratory } from "./laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

const soon = { interval: 5 };

describe("images", needs(whyNoContainers()), () => {
  let lab: Laboratory;
  const namespace = `kedge-images-${process.pid}`;
  beforeAll(async () => {
    lab = await openLaboratory();
    execFileSync(lab.programs.ip, ["netns", "add", namespace]);
    execFileSync(lab.programs.ip, ["-n", namespace, "link", "set", "lo", "up"]);
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    execFileSync(lab.programs.ip, ["netns", "delete", namespace]);
  });
  const networkNamespace = join("/run/netns", namespace);

  it.each([
    ["redis:7.0", "redis", "7.0.15"],
    ["docker.io/library/redis:8.0", "redis", "8.0."],
    ["valkey/valkey:8.1", "valkey", "8.1."],
    ["valkey/valkey:9", "valkey", "9."],
  ])(
    "%s is that server in that version, and answers PING in its own network",
    async (image, name, version) => {
      const { origin, id: imageId } = await lab.images.resolve(image);
      expect(origin).toContain(`assembled from Debian's ${name}-server`);
      expect(imageId).toMatch(/^sha256:[0-9a-f]{64}$/u);
      const start = realClock.monotonic();
      const id = await lab.run({ image, networkNamespace });
      const started = realClock.monotonic();
      await expect.poll(async () => (await lab.exec(id, `${name}-cli`, "ping")).stdout, soon).toBe("PONG\n");
      const answered = realClock.monotonic();
      process.stderr.write(
        `${image}: made and started in ${Math.round(started - start)} ms, PONG (by exec) after ${Math.round(answered - start)} ms\n`,
      );
      expect((await lab.exec(id, `${name}-cli`, "info", "server")).stdout).toContain(
        `${name}_version:${version}`,
      );
      // It is not root, and its data is its own.
      expect((await lab.exec(id, "sh", "-c", "stat -c %U /data; ps -o user,comm")).stdout).toMatch(
        new RegExp(`^${name}\\n[^]*${name}\\s+${name}-server`, "u"),
      );
      await lab.runtime.remove(id);
    },
  );

  it("of Redis stop by themselves when they are told to", async () => {
    const id = await lab.run({ image: "redis:7.0", networkNamespace });
    await expect.poll(async () => (await lab.exec(id, "redis-cli", "ping")).stdout, soon).toBe("PONG\n");
    await lab.runtime.signal(id, "SIGTERM");
    expect((await lab.ended(id)).exitCode).toBe(0);
  });

  it("kedge.dev/echo answers 200 on every path, and stops when it is told to", async () => {
    const id = await lab.run({
      image: "kedge.dev/echo:1",
      networkNamespace,
      environment: { PORT: "8080" },
      user: { uid: 1000, gid: 1000, additionalGids: [] },
    });
    const get = async (...options: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await lab.exec(id, "wget", "-S", "-q", "-O", "-", ...options);
      return stdout + stderr;
    };
    await expect.poll(() => get("http://127.0.0.1:8080/"), soon).toContain("200 OK");
    expect(await get("http://127.0.0.1:8080/any/path?x=1")).toContain("pod-0 GET /any/path?x=1");
    expect(await get("--post-data", "a=b", "http://127.0.0.1:8080/form")).toContain("pod-0 POST /form");
    const many = "for i in $(seq 60); do wget -q -O - http://127.0.0.1:8080/$i & done; wait";
    const { stdout } = await lab.exec(id, "sh", "-c", many);
    expect(stdout.match(/^pod-0 GET/gmu)).toHaveLength(60);
    // Who does not fit into its queue is let in late, or broken off.
    const counters = await lab.exec(id, "grep", "^TcpExt:", "/proc/net/netstat");
    const [names = [], values = []] = counters.stdout.split("\n").map((line) => line.split(" "));
    expect(values[names.indexOf("ListenOverflows")]).toBe("0");
    await lab.runtime.signal(id, "SIGTERM");
    expect((await lab.ended(id)).exitCode).toBe(0);
  });

  it("kedge.dev/host shows this machine's programs, read-only, and no secrets", async () => {
    const id = await lab.run({ image: "kedge.dev/host:any", command: ["/bin/sleep", "1000"] });
    const look = await lab.exec(
      id,
      "sh",
      "-c",
      "ls /root /home; cat /etc/shadow; touch /usr/x; touch /tmp/x && echo ok",
    );
    expect(look.stdout.replaceAll(/\s+/gu, " ")).toBe("/home: /root: ok ");
    expect(look.stderr).toMatch(/etc\/shadow/u);
    expect(look.stderr).toMatch(/Read-only/u);
    const { layers } = await lab.images.resolve("kedge.dev/host:any");
    expect(existsSync(join(layers[0] ?? "", "etc/shadow"))).toBe(false);
    await lab.runtime.remove(id);
  });

  it("that nobody has are refused, with those that Kedge can bring", async () => {
    await expect(lab.images.resolve("localhost:1/nginx:latest")).rejects.toMatchObject({
      name: "ImageError",
      code: "FAILED",
      message: expect.stringMatching(
        /cannot be pulled.*kedge image load.*redis:7\.0\.15.*--image-alias localhost:1\/nginx:latest=kedge\.dev\/echo:1/u,
      ) as string,
    });
    await expect(lab.images.resolve("redis:7.2", { policy: "Never" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await lab.images.has("redis:7.2")).toBe(false);
    expect(await lab.images.has("redis:7.0.15")).toBe(true);
  });

  it("have accounts of their own", async () => {
    const { layers } = await lab.images.resolve("redis:7.0");
    expect(await readFile(join(layers[0] ?? "", "etc/passwd"), "utf8")).toContain("redis:x:999:999:");
  });
});
