import { realClock } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ContainerInfo, ContainerRuntime } from "../runtime/types.ts";

/**
 * What a container of these tests does: runs until SIGTERM, whose number it then tells; takes no notice of it; ends with
 * the code 3; is killed for its memory.
 */
export type TestLife = "obeys" | "deaf" | "ends" | "greedy";

/** A runtime, and how containers are made with it. */
export interface RuntimeBench extends AsyncDisposable {
  readonly runtime: ContainerRuntime;
  create(id: string, life: TestLife, labels: Readonly<Record<string, string>>): Promise<void>;
}

/** The rules that every container runtime keeps. */
export function describeRuntime(open: () => RuntimeBench | Promise<RuntimeBench>): void {
  let bench: RuntimeBench;
  let runtime: ContainerRuntime;
  let made = 0;
  beforeAll(async () => {
    bench = await open();
    runtime = bench.runtime;
    return () => bench[Symbol.asyncDispose]();
  });
  /** What ended, in the order in which it was told. */
  const told: ContainerInfo[] = [];
  let unlisten: () => void = () => undefined;
  beforeAll(() => {
    unlisten = runtime.onExit((container) => void told.push(container));
  });
  afterAll(() => unlisten());

  const create = async (life: TestLife, labels: Readonly<Record<string, string>> = {}): Promise<string> => {
    const id = `conformance-${(made += 1)}`;
    await bench.create(id, life, labels);
    return id;
  };
  const run = async (life: TestLife): Promise<string> => {
    const id = await create(life);
    await runtime.start(id);
    return id;
  };
  const ended = async (id: string): Promise<ContainerInfo> => {
    const patience = { interval: 10, timeout: 120_000 };
    await expect.poll(() => told.some((container) => container.id === id), patience).toBe(true);
    const first = told.find((container) => container.id === id);
    if (first === undefined) throw new Error(`nobody told of the end of ${id}`);
    return first;
  };
  const ids = async (): Promise<readonly string[]> => (await runtime.list()).map(({ id }) => id);

  it("says what it is, with a version", () => {
    expect(runtime.version).toMatch(/^[a-z]+:\/\/\d+\.\d+\.\d+/u);
  });

  describe("a container", () => {
    it("is created, runs, and has ended, with its labels and times", async () => {
      const id = await create("ends", { pod: "a" });
      expect(await runtime.inspect(id)).toMatchObject({ id, state: "created", labels: { pod: "a" } });
      expect((await runtime.inspect(id))?.startedAt).toBeUndefined();
      const before = realClock.now();
      await runtime.start(id);
      const end = await ended(id);
      expect(end).toMatchObject({ state: "exited", exitCode: 3, oomKilled: false, labels: { pod: "a" } });
      expect(end.startedAt).toBeGreaterThanOrEqual(before);
      expect(end.finishedAt).toBeGreaterThanOrEqual(end.startedAt ?? Infinity);
      expect(end.pid).toBeUndefined();
      expect(await runtime.inspect(id)).toEqual(end);
    });

    it("runs until it is told to end", async () => {
      const id = await run("obeys");
      expect(await runtime.inspect(id)).toMatchObject({ state: "running" });
      const isGone = async (): Promise<boolean> => {
        // Once may be too soon: a program has to ask for the signal first.
        await runtime.signal(id, "SIGTERM");
        return (await runtime.inspect(id))?.state === "exited";
      };
      await expect.poll(isGone, { interval: 50, timeout: 120_000 }).toBe(true);
      expect(await ended(id)).toMatchObject({ exitCode: 143, oomKilled: false });
    });

    it("may take no notice, but is killed", async () => {
      const id = await run("deaf");
      await runtime.signal(id, "SIGTERM");
      expect(await runtime.inspect(id)).toMatchObject({ state: "running" });
      await runtime.signal(id, "SIGKILL");
      expect(await ended(id)).toMatchObject({ exitCode: 137, oomKilled: false });
    });

    it("that is killed for its memory says so", async () => {
      expect(await ended(await run("greedy"))).toMatchObject({ exitCode: 137, oomKilled: true });
    });

    it("has a name of its own", async () => {
      const id = await create("obeys");
      await expect(bench.create(id, "obeys", {})).rejects.toMatchObject({ code: "EXISTS" });
      await runtime.remove(id);
    });

    it("is listed with the others until it is removed, which ends it", async () => {
      const [first, second] = [await run("deaf"), await create("obeys")];
      expect(await ids()).toEqual(expect.arrayContaining([first, second]));
      await runtime.remove(first);
      await runtime.remove(second);
      expect(await ids()).not.toContain(first);
      expect(await ids()).not.toContain(second);
      expect(await runtime.inspect(first)).toBeUndefined();
    });

    it("has other labels when it is given some, and goes on", async () => {
      const id = await run("obeys");
      await runtime.update(id, { resources: { memoryLimitBytes: 64 * 1024 * 1024 }, labels: { pod: "b" } });
      expect(await runtime.inspect(id)).toMatchObject({ state: "running", labels: { pod: "b" } });
      await runtime.remove(id);
    });

    it("uses something while it runs, and nothing that anybody knows afterwards", async () => {
      const id = await run("obeys");
      expect(await runtime.usage(id)).toMatchObject({
        cpuNanoseconds: expect.any(Number) as number,
        workingSetBytes: expect.any(Number) as number,
      });
      await runtime.remove(id);
      expect(await runtime.usage(id)).toBeUndefined();
    });
  });

  describe("an end", () => {
    it("is told to each listener once, also to one who comes late, and to none who has left", async () => {
      const early: string[] = [];
      const left: string[] = [];
      const stop = runtime.onExit(({ id }) => void early.push(id));
      runtime.onExit(({ id }) => void left.push(id))();
      const id = await run("ends");
      await ended(id);
      const late: string[] = [];
      const stopLate = runtime.onExit((container) => void late.push(container.id));
      await expect.poll(() => late.filter((other) => other === id)).toEqual([id]);
      expect(early.filter((other) => other === id)).toEqual([id]);
      expect(left).not.toContain(id);
      expect(told.filter((container) => container.id === id)).toHaveLength(1);
      stop();
      stopLate();
    });

    it("is not changed by signals that come afterwards", async () => {
      const id = await run("ends");
      const end = await ended(id);
      await runtime.signal(id, "SIGKILL");
      expect(await runtime.inspect(id)).toEqual(end);
    });
  });

  describe("a command", () => {
    it("runs in a container, and tells its code", async () => {
      const id = await run("obeys");
      const { exit, stdin, stdout, stderr } = await runtime.exec(id, { command: ["true"], tty: false });
      stdin.end();
      stdout.resume();
      stderr.resume();
      expect(await exit).toEqual({ exitCode: 0 });
      await runtime.remove(id);
    });

    it("does not run in one that does not", async () => {
      const id = await create("obeys");
      const command = { command: ["true"], tty: false };
      await expect(runtime.exec(id, command)).rejects.toMatchObject({ code: "NOT_RUNNING" });
      await runtime.start(id);
      await runtime.signal(id, "SIGKILL");
      await ended(id);
      await expect(runtime.exec(id, command)).rejects.toMatchObject({ code: "NOT_RUNNING" });
    });
  });

  it("knows nothing of a container that is not there", async () => {
    const id = "conformance-none";
    const missing = { code: "NOT_FOUND" };
    expect(await runtime.inspect(id)).toBeUndefined();
    expect(await runtime.usage(id)).toBeUndefined();
    expect(runtime.pastEnd(id)).toBeUndefined();
    await expect(runtime.start(id)).rejects.toMatchObject(missing);
    await expect(runtime.exec(id, { command: ["true"], tty: false })).rejects.toMatchObject(missing);
    await expect(runtime.attach(id)).rejects.toMatchObject(missing);
    await expect(runtime.update(id, { resources: {}, labels: {} })).rejects.toMatchObject(missing);
    await runtime.signal(id, "SIGTERM");
    await runtime.remove(id);
  });
}
