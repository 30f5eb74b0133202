import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesOf } from "./testing/machine.ts";
import { whyNoContainers } from "../node/needs.ts";
import { runCli, type CliResult } from "./testing/run-cli.ts";
import { freePort } from "../testing/free-port.ts";
import { needs } from "../testing/needs.ts";

// A user's file systems at the cluster's folder and below it. The tests follow each other.
describe("a cluster on file systems of its user", needs(whyNoContainers()), () => {
  let parent: string;
  let dir: string;
  let mine: string;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    parent = mkdtempSync(join(tmpdir(), "kedge-mounts-"));
    dir = join(parent, "state");
    mine = join(dir, "mine");
    mkdirSync(dir);
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", dir]);
    mkdirSync(mine);
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", mine]);
    writeFileSync(join(mine, "file"), "of the user");
  });
  afterAll(async () => {
    await runCli(["down", "--dir", dir], parent);
    for (const folder of [mine, dir]) execFileSync("umount", [folder]);
    rmSync(parent, { recursive: true });
  });

  const up = (): Promise<CliResult> =>
    runCli(["up", "--detach", "--port", String(port), "--dir", dir], parent);
  const redis = (...command: readonly string[]): Promise<CliResult> =>
    runCli(["redis", "cli", "sample", ...command, "--dir", dir], parent);
  const mountsBelow = (): readonly string[] =>
    readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "")
      .filter((place) => place === dir || place.startsWith(`${dir}/`));
  const expectUntouched = (): void => {
    expect(mountsBelow()).toEqual([dir, mine]);
    expect(readFileSync(join(mine, "file"), "utf8")).toBe("of the user");
    expect(existsSync(join(dir, "cluster.json"))).toBe(true);
  };

  it("leaves them mounted when it goes down, and has its data when it comes up", async () => {
    // With a Redis instance, so that the node has mounts of its own: volumes, root file systems.
    expect(await up()).toMatchObject({ code: 0 });
    expect(await redis("set", "key", "value")).toMatchObject({ code: 0, stdout: "OK\n" });
    expect(mountsBelow().length).toBeGreaterThan(2);
    expect(await runCli(["down", "--dir", dir], parent)).toMatchObject({ code: 0 });
    expectUntouched();
    expect(await up()).toMatchObject({ code: 0 });
    expect(await redis("get", "key")).toMatchObject({ stdout: "value\n" });
  });

  it("leaves them mounted when the next start cleans up after a crash", async () => {
    for (const { pid } of processesOf([dir])) killIfThere(pid);
    await expect.poll(() => processesOf([dir])).toEqual([]);
    expect(await up()).toMatchObject({ code: 0 });
    expect(readFileSync(join(mine, "file"), "utf8")).toBe("of the user");
    expect(await redis("get", "key")).toMatchObject({ stdout: "value\n" });
    expect(await runCli(["down", "--dir", dir], parent)).toMatchObject({ code: 0 });
    expectUntouched();
  });
});

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended with another.
  }
}
