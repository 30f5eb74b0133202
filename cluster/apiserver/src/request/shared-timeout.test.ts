import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { SharedTimeout } from "./shared-timeout.ts";

it("many waits share one timer, and each ends in its own time unless it was stopped", async () => {
  const clock = new VirtualClock();
  const timeout = new SharedTimeout(clock, 1000);
  const ended: string[] = [];
  const begin = (name: string): (() => void) =>
    timeout.begin(() => ended.push(`${name} ${clock.monotonic()}`));
  begin("a");
  await clock.advance(100);
  const stop = begin("b");
  begin("c");
  await clock.advance(200);
  begin("d");
  expect(clock.pending().timers).toBe(1);
  stop();
  await clock.advance(10_000);
  expect(ended).toEqual(["a 1000", "c 1100", "d 1300"]);
  expect(clock.pending().timers).toBe(0);

  begin("e");
  timeout.close();
  await clock.advance(10_000);
  expect([ended.length, clock.pending().timers]).toEqual([3, 0]);
});
