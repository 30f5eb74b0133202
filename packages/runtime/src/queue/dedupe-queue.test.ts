import { VirtualClock } from "@kedge/machinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DedupeQueue } from "./dedupe-queue.ts";
import { priorities, type Trigger, type WorkItem } from "./types.ts";

const event: Trigger = { priority: "child-change", source: "Pod a", reason: "updated" };

function newQueue(): DedupeQueue {
  return new DedupeQueue({ clock: new VirtualClock() });
}

/** What a promise has come to by now. */
async function outcome<T>(promise: Promise<T>): Promise<T | "pending"> {
  return Promise.race([promise, new VirtualClock().settle().then(() => "pending" as const)]);
}

describe("one entry for each key", () => {
  it("many adds are one item that knows them all", async () => {
    const queue = newQueue();
    for (let count = 0; count < 100; count++) queue.add("a", event);
    expect(queue.depth).toBe(1);
    expect(await queue.get()).toMatchObject({ key: "a", causes: [{ count: 100 }] });
    queue.done("a");
    expect(await outcome(queue.get())).toBe("pending");
  });

  it("a key added while a worker has it comes once more after done, to nobody before", async () => {
    const queue = newQueue();
    queue.add("a", event);
    await queue.get();
    queue.add("a", { ...event, reason: "first" });
    queue.add("a", { ...event, reason: "second" });
    const next = queue.get();
    expect(await outcome(next)).toBe("pending");
    expect([queue.depth, queue.isReady("a")]).toEqual([0, true]);
    queue.done("a");
    expect((await next)?.causes.map(({ reason }) => reason)).toEqual(["first", "second"]);
  });

  it("done without get is an error that says so", () => {
    expect(() => newQueue().done("a")).toThrow('queue: done("a"): no worker has this key');
  });
});

describe("get", () => {
  it("waits, and those who wait are served in their order", async () => {
    const queue = newQueue();
    const gets = [queue.get(), queue.get()];
    queue.add("a", event);
    queue.add("b", event);
    expect((await Promise.all(gets)).map((item) => item?.key)).toEqual(["a", "b"]);
  });

  it("an aborted wait rejects with the reason and loses no key", async () => {
    const queue = newQueue();
    const controller = new AbortController();
    const aborted = queue.get(controller.signal);
    const patient = queue.get();
    controller.abort(new Error("stop"));
    queue.add("a", event);
    await expect(aborted).rejects.toThrow("stop");
    expect((await patient)?.key).toBe("a");
    queue.add("b", event);
    await expect(queue.get(controller.signal)).rejects.toThrow("stop");
    expect((await queue.get())?.key).toBe("b");
  });
});

describe("shutdown", () => {
  it("without drain: what is queued is dropped, and all who wait are let go at once", async () => {
    const queue = newQueue();
    queue.add("a", event);
    await queue.get();
    queue.add("a", event);
    const waiting = queue.get();
    queue.shutDown();
    queue.add("b", event);
    expect([await waiting, await queue.get(), queue.depth]).toEqual([undefined, undefined, 0]);
    queue.done("a");
    expect(queue.isReady("a")).toBe(false);
  });

  it("with drain: what is queued or became dirty is handed out, and it ends with the last done", async () => {
    const queue = newQueue();
    queue.add("a", event);
    queue.add("b", event);
    await queue.get();
    queue.add("a", event);
    const drained = queue.drain().then(() => "drained");
    queue.add("c", event);
    expect((await queue.get())?.key).toBe("b");
    queue.done("b");
    const [again, none] = [queue.get(), queue.get()];
    expect(await outcome(none)).toBe("pending");
    queue.done("a");
    expect([(await again)?.key, await none]).toEqual(["a", undefined]);
    expect(await outcome(drained)).toBe("pending");
    queue.done("a");
    expect(await drained).toBe("drained");
  });

  it("a drain that takes too long can be given up, and cut short by a shutdown", async () => {
    const queue = newQueue();
    queue.add("a", event);
    queue.add("b", event);
    await queue.get();
    const controller = new AbortController();
    const givenUp = queue.drain(controller.signal);
    const cutShort = queue.drain();
    controller.abort(new Error("too long"));
    await expect(givenUp).rejects.toThrow("too long");
    queue.shutDown();
    queue.done("a");
    await expect(cutShort).resolves.toBeUndefined();
  });

  it("an empty queue drains at once", async () => {
    await expect(newQueue().drain()).resolves.toBeUndefined();
  });
});

it("behaves as a dirty and a processing set, whatever the order of calls", async () => {
  const keys = ["a", "b", "c", "d"];
  const key = fc.constantFrom(...keys);
  const step = fc.oneof(
    fc.record({ call: fc.constant("add" as const), key, priority: fc.constantFrom(...priorities) }),
    fc.record({ call: fc.constant("get" as const) }),
    fc.record({ call: fc.constant("done" as const), key }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (script) => {
      const queue = newQueue();
      const dirty = new Map<string, number>();
      const processing = new Set<string>();
      const given: Promise<WorkItem | undefined>[] = [];
      const settle = async (promise: Promise<WorkItem | undefined>): Promise<void> => {
        const item = await promise;
        if (item === undefined) throw new Error("the queue ended");
        expect(processing.has(item.key)).toBe(false);
        expect(item.causes[0]?.count).toBe(dirty.get(item.key));
        dirty.delete(item.key);
        processing.add(item.key);
      };
      for (const next of script) {
        if (next.call === "add") {
          queue.add(next.key, { ...event, priority: next.priority });
          dirty.set(next.key, (dirty.get(next.key) ?? 0) + 1);
        } else if (next.call === "done" && processing.delete(next.key)) {
          queue.done(next.key);
        } else if (next.call === "get") {
          given.push(queue.get());
        }
        const available = [...dirty.keys()].filter((dirtyKey) => !processing.has(dirtyKey));
        for (const promise of given.splice(0, available.length)) await settle(promise);
        const left = [...dirty.keys()].filter((dirtyKey) => !processing.has(dirtyKey));
        expect(queue.depth).toBe(left.length);
        for (const each of keys) {
          expect(queue.isReady(each)).toBe(dirty.has(each));
          expect(queue.processingSince(each) !== undefined).toBe(processing.has(each));
        }
      }
    }),
  );
});
