import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import {
  describeProcess,
  forgetRunning,
  isAlive,
  runningProcesses,
  saveRunning,
  signalAll,
  waitForEnd,
} from "./running-processes.ts";

// A process is told from a later one with its number by /proc.
describe("the processes of a cluster", () => {
  let folder: ClusterFolder;
  let child: ChildProcess;
  const clock = realClock;
  beforeEach(() => {
    folder = clusterFolder(mkdtempSync(join(tmpdir(), "kedge-running-")));
    child = spawn("sleep", ["1000"]);
  });
  beforeEach(({ skip }) => {
    if (process.platform !== "linux") skip("needs Linux");
  });
  afterEach(() => {
    child.kill("SIGKILL");
    rmSync(folder.path, { recursive: true });
  });

  it("are gone when they are dead, also while nobody has asked how they ended", async () => {
    // The shell becomes a program that never asks.
    const parent = spawn("sh", ["-c", "sleep 1000 & echo $!; exec sleep 1000"]);
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const dead = describeProcess("node", Number(line.toString()));
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    expect(isAlive(dead)).toBe(true);
    process.kill(dead.pid, "SIGKILL");
    await expect.poll(() => readFileSync(`/proc/${dead.pid}/stat`, "utf8")).toContain(") Z ");
    expect(isAlive(dead)).toBe(false);
  });

  it("are those that were remembered and are alive", async () => {
    const ended = spawn("true");
    const gone = describeProcess("node", ended.pid ?? 0);
    await once(ended, "exit");
    const one = describeProcess("server", child.pid ?? 0);
    const reused = { ...one, role: "operator", started: `${one.started}0` };
    // The same number at the same moment after the machine was started again.
    const rebooted = { ...one, role: "node", started: one.started.replace(/^\w+/u, "00000000") };
    expect(rebooted.started).not.toBe(one.started);
    await saveRunning(folder, [one, gone, reused, rebooted]);
    expect(await runningProcesses(folder)).toEqual([one]);
    await forgetRunning(folder);
    expect(await runningProcesses(folder)).toEqual([]);
  });

  it("get signals, and are waited for until they are gone", async () => {
    const one = describeProcess("server", child.pid ?? 0);
    expect(await waitForEnd([one], { clock, patience: 50 })).toEqual([one]);
    signalAll([{ ...one, started: "1" }], "SIGTERM");
    expect(await waitForEnd([one], { clock, patience: 50 })).toEqual([one]);
    signalAll([one], "SIGTERM");
    expect(await waitForEnd([one], { clock, patience: 10_000 })).toEqual([]);
  });
});
