import { describe, expect, it } from "vitest";
import { now, pod, type PodSetup } from "../testing/builders.ts";
import { isActive, isAvailable, isReady, untilAvailable } from "./pod-state.ts";

describe("a pod's state", () => {
  const activity: readonly [string, PodSetup, boolean][] = [
    ["is active while it runs", {}, true],
    ["is active before it runs", { phase: "Pending" }, true],
    ["is not when it failed", { phase: "Failed" }, false],
    ["is not when it succeeded", { phase: "Succeeded" }, false],
    ["is not when it is on its way out", { terminating: true }, false],
  ];
  it.each(activity)("%s", (_name, setup, expected) => expect(isActive(pod("a", setup))).toBe(expected));

  const waits: readonly [string, PodSetup, number, number | undefined][] = [
    ["never, when it is not ready", {}, 0, undefined],
    ["at once, when it is ready and need not stay so", { readyFor: 0 }, 0, 0],
    ["at once, when it has been ready for long enough", { readyFor: 10 }, 10, 0],
    ["after what is left of the time", { readyFor: 4 }, 10, 6000],
  ];
  it.each(waits)("becomes available %s", (_name, setup, minReadySeconds, expected) => {
    expect(untilAvailable(pod("a", setup), minReadySeconds, now)).toBe(expected);
    expect(isAvailable(pod("a", setup), minReadySeconds, now)).toBe(expected === 0);
  });

  it("is not ready without a condition", () => {
    expect(isReady({ ...pod("a"), status: {} })).toBe(false);
  });
});
