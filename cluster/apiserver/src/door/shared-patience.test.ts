import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { SharedPatience } from "./shared-patience.ts";

it("many waits share one timer, and each ends in its own time unless it was stopped", async () => {
  const clock = new VirtualClock();
  const patience = new SharedPatience(clock, 1000);
  const tired: string[] = [];
  const begin = (name: string): (() => void) =>
    patience.begin(() => tired.push(`${name} ${clock.monotonic()}`));
  begin("a");
  await clock.advance(100);
  const stop = begin("b");
  begin("c");
  await clock.advance(200);
  begin("d");
  expect(clock.pending().timers).toBe(1);
  stop();
  await clock.advance(10_000);
  expect(tired).toEqual(["a 1000", "c 1100", "d 1300"]);
  expect(clock.pending().timers).toBe(0);

  begin("e");
  patience.close();
  await clock.advance(10_000);
  expect([tired.length, clock.pending().timers]).toEqual([3, 0]);
});
