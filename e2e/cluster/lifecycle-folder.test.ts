import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesOf } from "./testing/machine.ts";
import { whyNoContainers } from "../node/needs.ts";
import { cliProgram, runCli, type CliResult } from "./testing/run-cli.ts";
import { freePort } from "../testing/free-port.ts";
import { needs } from "../testing/needs.ts";

describe("a cluster that cannot be where it is wanted", needs(whyNoContainers()), () => {
  let parent: string;
  let dir: string;
  let mounted: boolean;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), "kedge-folder-"));
    dir = join(parent, "disk/state");
    mkdirSync(join(parent, "disk"));
    mounted = false;
  });
  afterEach(() => {
    if (mounted) execFileSync("umount", [join(parent, "disk")]);
    rmSync(parent, { recursive: true });
  });

  const mount = (options: string): void => {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", join(parent, "disk")]);
    mounted = true;
  };
  const up = (...flags: readonly string[]): Promise<CliResult> =>
    runCli(["up", "--detach", "--no-sample", "--no-operators", "--dir", dir, ...flags], parent);
  const onFreePort = async (): Promise<readonly [string, string]> => ["--port", String(await freePort())];

  it("says that its file system is read-only, and what to do", async () => {
    mount("ro");
    expect(await up()).toEqual({
      code: 1,
      stdout: "",
      stderr: `kedge: ${dir} cannot be written to: its file system is read-only (EROFS). Mount it writable, or give another --dir.\n`,
    });
  });

  it("says that its file system is full, and what to do", async () => {
    mount("size=64k");
    mkdirSync(dir);
    expect(() => writeFileSync(join(parent, "disk/filler"), Buffer.alloc(1024 * 1024))).toThrow("ENOSPC");
    const { code, stderr } = await up();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^kedge: .* cannot be written to: its file system is full \(ENOSPC\)\. Free some space, or/u,
    );
  });

  it("is stopped although its file system has become full", async () => {
    mount("size=256m");
    expect(await up(...(await onFreePort()))).toMatchObject({ code: 0 });
    expect(() => writeFileSync(join(parent, "disk/filler"), Buffer.alloc(256 * 1024 * 1024))).toThrow(
      "ENOSPC",
    );
    const { code, stdout, stderr } = await runCli(["down", "--dir", dir], parent);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Stopped\. Its data is in /u);
    expect(processesOf([dir])).toEqual([]);
  });

  it("says that there is a file", async () => {
    writeFileSync(dir, "");
    const { code, stderr } = await up();
    expect(code).toBe(1);
    expect(stderr).toBe(`kedge: ${dir} cannot be written to: it is a file (EEXIST). Give another --dir.\n`);
  });

  it("says that its port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await up("--port", String(port));
    server.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `kedge: --port ${port}: somebody listens there already. Give another, or none for a free one.\n`,
    );
  });

  it("goes on when nobody reads what it prints, and stops when its terminal is closed", async () => {
    const flags = ["--no-sample", "--no-operators", ...(await onFreePort())];
    const child = spawn(cliProgram, ["up", ...flags, "--dir", dir], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exited = once(child, "exit");
    child.stdout.destroy();
    const isReady = async (): Promise<number | null> => (await runCli(["status", "--dir", dir], parent)).code;
    await expect.poll(isReady, { interval: 500 }).toBe(0);
    child.kill("SIGHUP");
    expect(await exited).toEqual([0, null]);
    expect(await runCli(["down", "--purge", "--dir", dir], parent)).toMatchObject({
      code: 0,
      stdout: "No cluster was running. Its data is deleted.\n",
    });
  });
});
