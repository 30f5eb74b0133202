import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { realClock } from "@kedge/machinery";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import { inheritedLock, lockFolder, lockOwner, lockVariable, type FolderLock } from "./folder-lock.ts";
import { takeForStart, takeForStop } from "./take-folder.ts";

// Locks of the kernel, by a program that Linux machines have.
describe("the folder of a cluster", () => {
  let parent: string;
  let folder: ClusterFolder;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), "kedge-take-"));
    folder = clusterFolder(join(parent, "state"));
  });
  beforeEach(({ skip }) => {
    if (process.platform !== "linux") skip("needs Linux");
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    rmSync(parent, { recursive: true });
  });

  /** Another process that tries to start in the folder; resolves with what it says. */
  async function starter(dir: string, ...args: readonly string[]): Promise<Starter> {
    const program = join(import.meta.dirname, "testing/take-and-stay.ts");
    const child = spawn(process.execPath, ["--conditions=kedge-source", program, dir, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const said = String((await lines.next()).value);
    return { child, said };
  }

  it("is made for its owner only; one that is there keeps its mode", async () => {
    const there = clusterFolder(join(parent, "there"));
    mkdirSync(there.path);
    chmodSync(there.path, 0o755);
    const modeOf = async (one: ClusterFolder): Promise<number> => {
      const taken = await takeForStart(one, one.path);
      if ("release" in taken) taken.release();
      return statSync(one.path).mode & 0o777;
    };
    expect([await modeOf(folder), await modeOf(there)]).toEqual([0o700, 0o755]);
  });

  it("has one winner of many that start at once, and the others name it", async () => {
    symlinkSync(folder.path, join(parent, "link"));
    mkdirSync(folder.path);
    const names = [folder.path, join(parent, "link"), `${folder.path}/../state`, folder.path, folder.path];
    const all = await Promise.all(names.map((name) => starter(name)));
    const winners = all.filter(({ said }) => said === "taken");
    expect(winners).toHaveLength(1);
    const pid = winners[0]?.child.pid;
    for (const { said } of all.filter((one) => !winners.includes(one))) {
      expect(said).toContain(
        `the cluster in ${folder.path} is being started by process ${pid}. \`kedge status --dir`,
      );
    }
  });

  it("is free as soon as its owner is killed, and so is that of an owner's child", async () => {
    const first = await starter(folder.path);
    expect(first.said).toBe("taken");
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    expect(lockOwner(folder)).toBeUndefined();
    const lock = await mustTake();
    const heir = spawn("sleep", ["1000"], {
      stdio: ["ignore", "ignore", "ignore", "ignore", lock.fd],
    });
    children.push(heir);
    lock.setOwner(heir.pid ?? 0);
    lock.release();
    expect(await refusal()).toContain(`is being started by process ${heir.pid}. \`kedge status\` shows it`);
    heir.kill("SIGKILL");
    await once(heir, "exit");
    (await mustTake()).release();
  });

  it("is gone on with by a child that inherits the lock, and not by one that is only told so", async () => {
    const lock = await mustTake();
    process.env[lockVariable] = String(inheritedLock);
    // This process has something else under that number.
    expect(await takeForStart(folder, ".kedge")).toBeInstanceOf(Error);
    expect(process.env[lockVariable]).toBeUndefined();
    lock.release();
  });

  it("is taken from one that starts or runs by asking it to stop, also when it has just handed over", async () => {
    const { child, said } = await starter(folder.path);
    expect(said).toBe("taken");
    const ended = once(child, "exit");
    const { lock, was, killed } = await takeForStop(folder, { clock: realClock, patience: 60_000 });
    expect([was, killed]).toEqual([true, false]);
    expect(await ended).toEqual([0, null]);
    lock.release();
  });

  it("is taken from one that does not stop by killing it", async () => {
    const { child, said } = await starter(folder.path, "deaf");
    expect(said).toBe("taken");
    const ended = once(child, "exit");
    const { lock, killed } = await takeForStop(folder, { clock: realClock, patience: 0 });
    expect(killed).toBe(true);
    expect(await ended).toEqual([null, "SIGKILL"]);
    lock.release();
  });

  it("has a cluster that runs as soon as its owner says so, which can be stopped like one that starts", async () => {
    const { child, said } = await starter(folder.path, "running");
    expect(said).toBe("taken");
    expect(await refusal()).toBe(
      `a cluster already runs in ${folder.path} (process ${child.pid}). \`kedge status\` shows it, ` +
        "`kedge down` stops it.",
    );
    const { lock, killed } = await takeForStop(folder, { clock: realClock, patience: 60_000 });
    expect(killed).toBe(false);
    lock.release();
  });

  it("is left to one that stops the cluster, which is waited for", async () => {
    const { lock } = await mustLock("down");
    expect(await refusal()).toContain(
      `is being stopped (process ${process.pid}). Run this again when it is.`,
    );
    const second = takeForStop(folder, { clock: realClock, patience: 60_000 });
    lock.release();
    (await second).lock.release();
  });

  it("is said to be deleted when who stops the cluster does that, too", async () => {
    const { lock } = await mustLock("down");
    const second = takeForStop(folder, { clock: realClock, patience: 60_000 });
    second.catch(() => undefined);
    // As long as it takes to ask for the lock, which the second must not find free.
    expect(await refusal()).toContain("is being stopped");
    rmSync(folder.path, { recursive: true });
    lock.release();
    await expect(second).rejects.toThrow(
      `another command has stopped the cluster and deleted ${folder.path}`,
    );
  });

  it("is not taken by a lock on a file that was deleted by who had it", async () => {
    const { said } = await starter(folder.path, "purge");
    expect(said).toBe("taken");
    const { lock } = await takeForStop(folder, { clock: realClock, patience: 60_000 });
    expect(readFileSync(folder.lock, "utf8")).toContain(`"pid":${process.pid}`);
    expect(await takeForStart(folder, ".kedge")).toBeInstanceOf(Error);
    lock.release();
  });

  async function mustTake(): Promise<FolderLock> {
    const taken = await takeForStart(folder, ".kedge");
    if (taken instanceof Error) throw taken;
    return taken;
  }

  async function refusal(): Promise<string> {
    const taken = await takeForStart(folder, ".kedge");
    if (taken instanceof Error) return taken.message;
    throw new Error("it was free");
  }

  async function mustLock(command: string): Promise<{ readonly lock: FolderLock }> {
    mkdirSync(folder.path, { recursive: true });
    const taken = await lockFolder(folder, command);
    if (!("lock" in taken)) throw new Error("it is taken");
    return taken;
  }
});

interface Starter {
  readonly child: ChildProcess;
  readonly said: string;
}
