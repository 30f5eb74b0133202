import { execFile } from "node:child_process";
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { realClock as clock } from "@kedge/machinery";
import { createNodeMounts } from "@kedge/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

const run = promisify(execFile);

describe("the mounts of a node", needs(whyNoContainers()), () => {
  let disk = "";
  beforeEach(async () => {
    // What a user may have the cluster's folder on.
    disk = await mkdtemp(join(tmpdir(), "kedge-mounts-"));
    await run("mount", ["-t", "tmpfs", "tmpfs", disk]);
  });
  afterEach(async () => {
    await run("umount", ["--recursive", disk]);
    await rm(disk, { recursive: true });
  });
  const mounted = async (): Promise<readonly string[]> => {
    const table = await readFile("/proc/self/mountinfo", "utf8");
    const paths = table.split("\n").map((line) => line.split(" ")[4] ?? "");
    return paths.filter((path) => path.startsWith(disk)).map((path) => path.slice(disk.length));
  };

  it("go, and nobody else's do: not what the folder lies on, not what is in it or over it", async () => {
    const node = join(disk, "node");
    const mounts = createNodeMounts({ folder: node, clock });
    const volumes = join(node, "pods/1/volumes");
    await mounts.memory(join(volumes, "token"), { mode: 0o755 });
    await mounts.memory(join(volumes, "token"), { mode: 0o755 });
    await mounts.memory(join(volumes, "covered"), { mode: 0o755 });
    await writeFile(join(disk, "data"), "kept");
    await using folder = await open(disk, "r");
    await mounts.bind(folder, join(node, "pods/1/subpaths/0"));
    await mkdir(join(disk, "mine"));
    await run("mount", ["-t", "tmpfs", "tmpfs", join(disk, "mine")]);
    await run("mount", ["-t", "tmpfs", "tmpfs", join(volumes, "covered")]);
    expect(await mounted()).toHaveLength(6);

    // The next agent, or whoever cleans up, has nothing but the folder.
    await createNodeMounts({ folder: node, clock }).removeBelow(disk);
    expect((await mounted()).toSorted()).toEqual([
      "",
      "/mine",
      "/node/pods/1/volumes/covered",
      "/node/pods/1/volumes/covered",
    ]);
    expect(await readFile(join(disk, "data"), "utf8")).toBe("kept");
    // The one that is covered is still to be taken away some day.
    expect(await readdir(join(node, "mounts"))).toHaveLength(1);
  });

  it("that a kill cut off are forgotten, with their records", async () => {
    const node = join(disk, "node");
    await mkdir(join(node, "mounts"), { recursive: true });
    const record = { name: "kedge-x", path: join(node, "pods/1/volumes/token"), type: "tmpfs" };
    await writeFile(join(node, "mounts/kedge-x"), JSON.stringify(record));
    await writeFile(join(node, "mounts/kedge-y.new"), "{");
    await createNodeMounts({ folder: node, clock }).removeBelow(disk);
    expect(await mounted()).toEqual([""]);
    expect(await readdir(join(node, "mounts"))).toEqual([]);
  });
});
