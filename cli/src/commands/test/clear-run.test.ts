import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KedgeContext } from "../../context.ts";
import { clearRun, endRun } from "./clear-run.ts";
import { beginRun, interruptedRuns, type BegunRun } from "./test-run.ts";

describe("runs of tests", () => {
  let records = "";
  let run: BegunRun;
  const children: ChildProcess[] = [];
  const nowhere = { write: () => undefined, isTTY: false, columns: 80, hasColors: () => false };
  const context: KedgeContext = {
    process: { stdout: nowhere, stderr: nowhere, env: {}, exitCode: null },
    root: "/",
  };
  const start = async (env: Readonly<Record<string, string>>): Promise<ChildProcess> => {
    const child = spawn("sleep", ["1000"], { env: { ...process.env, ...env }, stdio: "ignore" });
    children.push(child);
    await once(child, "spawn");
    return child;
  };
  /** As if the process of a run had been killed. */
  const interrupt = async ({ record }: BegunRun): Promise<void> => {
    const stored = JSON.parse(await readFile(record, "utf8")) as BegunRun;
    await writeFile(record, JSON.stringify({ ...stored, by: { ...stored.by, started: "long ago" } }));
  };

  beforeEach(({ skip }) => {
    if (process.platform !== "linux") skip("needs Linux");
  });
  beforeEach(async () => {
    records = await mkdtemp(join(tmpdir(), "kedge-test-runs-"));
    run = await beginRun(records);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await rm(run.folder, { recursive: true, force: true });
    await rm(records, { recursive: true });
  });

  it("that go on are none of those that were interrupted", async () => {
    expect(await interruptedRuns(records)).toEqual([]);
    await interrupt(run);
    expect(await interruptedRuns(records)).toMatchObject([{ folder: run.folder, record: run.record }]);
  });

  it("are cleared of their processes and files, and nobody else's", async () => {
    const other = await beginRun(records);
    const [ours, theirs, stranger] = [await start(run.env), await start(other.env), await start({})];
    await mkdir(join(run.folder, "kedge-agent-x", "node"), { recursive: true });
    const ended = once(ours, "exit");
    await clearRun(run, { context, clock: realClock });
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect([theirs, stranger].map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([
      null,
      null,
    ]);
    expect(existsSync(run.folder)).toBe(false);
    expect(existsSync(other.folder)).toBe(true);
    expect(await readdir(records)).toHaveLength(1);
    await endRun(other);
    expect(await readdir(records)).toEqual([]);
  });

  it("are never deleted through a mount", async ({ skip }) => {
    const [data, mount] = [join(records, "data"), join(run.folder, "mount")];
    await mkdir(data);
    await mkdir(mount);
    await writeFile(join(data, "file"), "kept");
    if (spawnSync("mount", ["--bind", data, mount]).status !== 0) skip("this process may not mount");
    await expect(endRun(run)).rejects.toThrow(`${mount} is mounted. \`umount ${mount}\` takes it away.`);
    await clearRun(run, { context, clock: realClock });
    expect(existsSync(run.folder)).toBe(false);
    expect(await readFile(join(data, "file"), "utf8")).toBe("kept");
  });
});
