import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock, type Clock } from "@kedge/machinery";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import type { launchPart } from "./launch-part.ts";
import { runningProcesses, type RunningProcess } from "./running-processes.ts";
import { markStopped, unmarkStopped } from "./stopped-nodes.ts";
import { createSupervisor, type Supervisor } from "./supervisor.ts";

/** Ten times as fast as the world. */
const clock: Clock = {
  ...realClock,
  monotonic: () => realClock.monotonic() * 10,
  timer: (ms, callback) => realClock.timer(ms / 10, callback),
  sleep: (ms, signal) => realClock.sleep(ms / 10, signal),
};

// How processes do is what /proc says.
describe("a supervisor", () => {
  let folder: ClusterFolder;
  let supervisor: Supervisor;
  let troubles: string[];
  let how: string;

  beforeEach(() => {
    how = "lives";
    troubles = [];
    folder = clusterFolder(mkdtempSync(join(tmpdir(), "kedge-supervisor-")));
    supervisor = createSupervisor({
      folder,
      clock,
      onTrouble: (message) => troubles.push(message),
      launch,
    });
  });
  beforeEach(({ skip }) => {
    if (process.platform !== "linux") skip("needs Linux");
  });
  afterEach(async () => {
    await supervisor.stop();
    rmSync(folder.path, { recursive: true });
  });

  const launch: typeof launchPart = (_role, { log }) => {
    const program = join(import.meta.dirname, "testing/fake-part.ts");
    const output = openSync(log, "a");
    const child = spawn(process.execPath, ["--conditions=kedge-source", program, how], {
      stdio: ["ignore", output, output, "ipc"],
    });
    closeSync(output);
    return child;
  };
  const server = async (): Promise<RunningProcess | undefined> =>
    (await runningProcesses(folder)).find(({ role }) => role === "server");
  const isBack = async (): Promise<void> => {
    await expect.poll(() => troubles.at(-1)).toBe("server is back");
  };

  it("says that a full disk keeps it from remembering what it started, and the way out", async ({ skip }) => {
    const disk = join(folder.path, "disk");
    mkdirSync(disk);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "kedge-test", disk]).status !== 0)
      skip("this process may not mount");
    const full = clusterFolder(join(disk, "state"));
    const own = createSupervisor({ folder: full, clock, onTrouble: () => undefined, launch });
    try {
      expect(() => writeFileSync(join(disk, "filler"), Buffer.alloc(1024 * 1024))).toThrow("ENOSPC");
      await expect(own.start("server")).rejects.toThrow(
        /state.* cannot be written to: its file system is full \(ENOSPC\)\. Free some space, or/u,
      );
    } finally {
      await own.stop();
      spawnSync("umount", ["--lazy", disk]);
    }
  });

  it("starts a part again that was killed, and remembers why", async () => {
    const steps: string[] = [];
    await supervisor.start("server", { onProgress: (what) => steps.push(what) });
    expect(steps).toEqual(["half of it"]);
    const first = await server();
    process.kill(first?.pid ?? 0, "SIGKILL");
    await isBack();
    const second = await server();
    expect(second?.pid).not.toBe(first?.pid);
    expect(second?.trouble).toMatchObject({ restarts: 1, why: "ended by itself (SIGKILL)" });
    expect(troubles[0]).toBe("server ended by itself (SIGKILL). It is started again in 1 s.");
  });

  it.each([
    ["SIGSTOP", /^did not answer for 3\d s, stopped by a signal, and was killed$/u],
    // Its handler goes round in circles, on a machine that may leave it little time for that.
    ["SIGUSR2", /^did not answer for 3\d s(?:, busy for \d+ s of CPU time,)? and was killed$/u],
  ] as const)("starts a part again that does not answer (%s)", async (signal, why) => {
    await supervisor.start("server");
    const first = await server();
    process.kill(first?.pid ?? 0, signal);
    await isBack();
    const second = await server();
    expect(second?.pid).not.toBe(first?.pid);
    expect(second?.trouble?.why).toMatch(why);
  });

  it("says the last words of a part that cannot start, and tries again less and less often", async () => {
    await supervisor.start("server");
    how = "fails";
    process.kill((await server())?.pid ?? 0, "SIGKILL");
    const failed = (): readonly string[] => troubles.filter((one) => one.includes("could not start"));
    await expect.poll(() => failed().length).toBeGreaterThan(2);
    expect(failed().slice(0, 3)).toEqual(
      [2, 4, 8].map(
        (pause) => `server could not start (code 3). It is started again in ${pause} s.\n    the last words`,
      ),
    );
    how = "lives";
    await isBack();
  });

  it("leaves a node alone that was stopped, until it is wanted again", async () => {
    const node = async (): Promise<RunningProcess | undefined> =>
      (await runningProcesses(folder)).find(({ role }) => role === "node/one");
    await supervisor.start("node/one");
    const first = await node();
    await markStopped(folder, "one");
    process.kill(first?.pid ?? 0, "SIGKILL");
    await expect.poll(() => troubles).toEqual(["node/one was stopped. `kedge node start` starts it again."]);
    expect(await node()).toBeUndefined();
    await unmarkStopped(folder, "one");
    await expect.poll(node).toMatchObject({ role: "node/one" });
    expect((await node())?.trouble).toBeUndefined();
  });

  it("does not start a node again that was stopped after it had ended by itself", async () => {
    const paused = Promise.withResolvers<void>();
    const sleep: Clock["sleep"] = (ms, signal) => (ms < 1000 ? clock.sleep(ms, signal) : paused.promise);
    const onTrouble = (message: string): void => void troubles.push(message);
    const own = createSupervisor({ folder, clock: { ...clock, sleep }, onTrouble, launch });
    try {
      await own.start("node/one");
      const first = (await runningProcesses(folder)).find(({ role }) => role === "node/one");
      process.kill(first?.pid ?? 0, "SIGKILL");
      await expect.poll(() => troubles.at(-1)).toContain("It is started again in 1 s.");
      await markStopped(folder, "one");
      paused.resolve();
      await expect.poll(() => troubles.at(-1)).toContain("node/one was stopped.");
      await unmarkStopped(folder, "one");
      await expect.poll(() => troubles.at(-1)).toBe("node/one is back");
    } finally {
      await own.stop();
    }
  });

  it("gives the last words when the first start fails", async () => {
    how = "fails";
    await expect(supervisor.start("server")).rejects.toThrow(
      `server could not start (code 3). From ${join(folder.logs, "server.log")}:\n  the last words`,
    );
    expect(troubles).toEqual([]);
  });
});
