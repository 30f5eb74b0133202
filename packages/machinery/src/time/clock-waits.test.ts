import { describe, expect, test, vi } from "vitest";
import { DeadlineError } from "./deadline-error.ts";
import { VirtualClock } from "../virtual-time/virtual-clock.ts";

describe("sleep", () => {
  test("rejects with the signal's reason when it is aborted before or during, and leaves no timer", async () => {
    const clock = new VirtualClock();
    const reason = new Error("stop");
    await expect(clock.sleep(10, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleep = clock.sleep(10, controller.signal);
    clock.timer(4, () => controller.abort(reason));
    await expect(clock.runUntil(sleep)).rejects.toBe(reason);
    expect(clock.monotonic()).toBe(4);
    expect(clock.pending().timers).toBe(0);
  });

  test("resolves when it was over before the abort, and lets go of the signal", async () => {
    const clock = new VirtualClock();
    const { signal, ...controller } = listened();
    const sleep = clock.sleep(10, signal);
    await clock.advance(10);
    expect(controller.listeners()).toBe(0);
    controller.abort();
    await expect(sleep).resolves.toBeUndefined();
  });
});

describe("deadline", () => {
  test("aborts on time with a DeadlineError", async () => {
    const clock = new VirtualClock();
    using deadline = clock.deadline(10);
    await clock.advance(9);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.signal.reason).toEqual(new DeadlineError(10));
    expect(deadline.signal.reason).toMatchObject({ ms: 10, message: "deadline exceeded after 10 ms" });
  });

  test("aborts with the parent's reason when that comes first, and frees its timer", async () => {
    const clock = new VirtualClock();
    const { signal, ...parent } = listened();
    using deadline = clock.deadline(10, signal);
    parent.abort("parent");
    expect(deadline.signal.reason).toBe("parent");
    expect(clock.pending().timers).toBe(0);
    await clock.advance(20);
    expect(deadline.signal.reason).toBe("parent");
  });

  test("is aborted from the start under an aborted parent", () => {
    const clock = new VirtualClock();
    using deadline = clock.deadline(10, AbortSignal.abort("gone"));
    expect(deadline.signal.reason).toBe("gone");
    expect(clock.pending().timers).toBe(0);
  });

  test("of a deadline: the inner one follows the outer one", async () => {
    const clock = new VirtualClock();
    using outer = clock.deadline(5);
    using inner = clock.deadline(10, outer.signal);
    await clock.advance(5);
    expect(inner.signal.reason).toEqual(new DeadlineError(5));
  });

  test("that was released neither aborts nor holds on to its parent", async () => {
    const clock = new VirtualClock();
    const { signal, ...parent } = listened();
    const deadline = clock.deadline(10, signal);
    deadline[Symbol.dispose]();
    expect(clock.pending().timers).toBe(0);
    expect(parent.listeners()).toBe(0);
    parent.abort();
    await clock.advance(20);
    expect(deadline.signal.aborted).toBe(false);
  });

  test("that was reached lets go of its parent", async () => {
    const clock = new VirtualClock();
    const { signal, ...parent } = listened();
    using deadline = clock.deadline(10, signal);
    await clock.advance(10);
    expect(deadline.signal.aborted).toBe(true);
    expect(parent.listeners()).toBe(0);
  });
});

/** A signal that tells how many listeners it has. */
function listened(): { signal: AbortSignal; abort: (reason?: unknown) => void; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  const add = vi.spyOn(signal, "addEventListener");
  const remove = vi.spyOn(signal, "removeEventListener");
  return {
    signal,
    abort: (reason) => controller.abort(reason),
    listeners: () => add.mock.calls.length - remove.mock.calls.length,
  };
}
