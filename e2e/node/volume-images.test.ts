import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { createNodeMounts, createVolumeFolders, type NodeMounts, type VolumeFolders } from "@kedge/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needs } from "../testing/needs.ts";

const mebi = 2 ** 20;
const name = "pvc-u_default_data";

function whyNoLoopDevices(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  return existsSync("/dev/loop-control") ? undefined : "this machine has no loop devices";
}

/** The kernel asks for CAP_SYS_RESOURCE. */
function mayGrowMounted(): boolean {
  const held = /^CapEff:\s*([0-9a-f]+)$/mu.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return ((BigInt(`0x${held}`) >> 24n) & 1n) === 1n;
}

describe("a volume of a size of its own", needs(whyNoLoopDevices()), () => {
  let folder: string;
  let mounts: NodeMounts;
  let folders: VolumeFolders;
  const volume = (): string => join(folder, "volumes", name);
  const image = (): string => join(folder, "volumes", ".images", `${name}.ext4`);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kedge-images-"));
    mounts = createNodeMounts({ folder: join(folder, "node"), clock: realClock });
    folders = createVolumeFolders(join(folder, "volumes"), realClock, mounts);
  });
  afterEach(async () => {
    await mounts.removeBelow(folder);
    await rm(folder, { recursive: true });
  });
  const sizeOf = async (): Promise<number> => {
    const { blocks, bsize } = await statfs(volume());
    return blocks * bsize;
  };
  const fill = (bytes: number): Promise<void> => writeFile(join(volume(), "data"), Buffer.alloc(bytes, 1));

  it("is full when it is full, grows, and keeps its data", async () => {
    await folders.make(name, 16 * mebi);
    expect((await stat(volume())).mode & 0o777).toBe(0o777);
    await writeFile(join(volume(), "kept"), "kept");
    await expect(fill(20 * mebi)).rejects.toThrow("ENOSPC");
    const said = await folders.grow(name, 48 * mebi).then(() => "grown", String);
    expect(said).toMatch(
      mayGrowMounted() ? /^grown$/u : /CAP_SYS_RESOURCE.*when the node is started again$/u,
    );
    // A start of the node: it has grown by then in any case.
    await mounts.removeBelow(folder);
    await mounts.image(image(), volume());
    expect(await sizeOf()).toBeGreaterThan(32 * mebi);
    await fill(20 * mebi);
    expect(await readFile(join(volume(), "kept"), "utf8")).toBe("kept");
    // As an agent that was killed, and does it again.
    await folders.make(name, 48 * mebi);
    expect(await readFile(join(volume(), "kept"), "utf8")).toBe("kept");
  });

  it("has taken its room from the disk before anything is in it", async () => {
    const before = (await folders.freeBytes()) ?? 0;
    await folders.make(name, 64 * mebi);
    const { blocks } = await stat(image());
    expect(blocks * 512).toBeGreaterThanOrEqual(64 * mebi);
    expect(before).toBeGreaterThan(0);
  });

  it("is there again after the node was stopped, and leaves neither mount nor loop device", async () => {
    await folders.make(name, 16 * mebi);
    await writeFile(join(volume(), "kept"), "kept");
    await mounts.removeBelow(folder);
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(folder);
    await expect.poll(() => execFileSync("losetup", ["--all"]).toString()).not.toContain(folder);
    await mounts.image(image(), volume());
    expect(await readFile(join(volume(), "kept"), "utf8")).toBe("kept");
    await folders.remove(name);
    expect(await readdir(join(folder, "volumes", ".images"))).toEqual([]);
    expect(existsSync(volume())).toBe(false);
    await expect.poll(() => execFileSync("losetup", ["--all"]).toString()).not.toContain(folder);
  });

  it("is taken away as a leftover only while nothing is in it", async () => {
    await folders.make(name, 16 * mebi);
    await mounts.removeBelow(folder);
    await writeFile(join(volume(), "..", "stranger"), "").catch(() => undefined);
    await mounts.image(image(), volume());
    await writeFile(join(volume(), "kept"), "kept");
    await folders.removeIfEmpty(name);
    expect(await readFile(join(volume(), "kept"), "utf8")).toBe("kept");
    await rm(join(volume(), "kept"));
    await folders.removeIfEmpty(name);
    expect(existsSync(volume())).toBe(false);
  });

  it("leaves a file system alone that somebody else has mounted there", async () => {
    await folders.make(name, 16 * mebi);
    await mounts.removeBelow(folder);
    await mkdir(volume(), { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", volume()]);
    try {
      await mounts.removeBelow(folder);
      expect(readFileSync("/proc/self/mountinfo", "utf8")).toContain(volume());
    } finally {
      execFileSync("umount", [volume()]);
    }
  });
});
