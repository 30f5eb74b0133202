import fc from "fast-check";
import { expect, it } from "vitest";
import { raised, restartAt } from "./crash-backoff.ts";

it("restarts come at once, then after 10 s, 20 s, … and at most 5 minutes", () => {
  const waits: number[] = [];
  let backoff: ReturnType<typeof raised> | undefined;
  let now = 0;
  for (let end = 0; end < 8; end += 1) {
    const at = restartAt(backoff, now);
    waits.push((at - now) / 1000);
    backoff = raised(backoff, now, at);
    now = at;
  }
  expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

it("ten minutes of running are forgiveness", () => {
  const backoff = { delayMs: 300_000, raisedAt: 0 };
  expect(restartAt(backoff, 600_000)).toBe(900_000);
  expect(restartAt(backoff, 600_001)).toBe(600_001);
  expect(raised(backoff, 600_001, 600_001).delayMs).toBe(10_000);
});

it("no restart is earlier than the end, or later than five minutes after it", () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1e6), fc.nat(1e7), (delay, raisedAt, finishedAt) => {
      const backoff = raised({ delayMs: delay + 1, raisedAt }, finishedAt, finishedAt);
      const at = restartAt(backoff, finishedAt);
      expect(at).toBeGreaterThanOrEqual(finishedAt);
      expect(at).toBeLessThanOrEqual(finishedAt + 300_000);
    }),
  );
});
