import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxCauses, PendingWork } from "./pending-work.ts";
import { priorities, type Trigger } from "./types.ts";

const pod: Trigger = { priority: "child-change", source: "Pod a", reason: "updated" };

describe("causes", () => {
  it("equal triggers are counted, with the first and the last time", () => {
    const work = new PendingWork(pod, 10);
    work.record({ ...pod, reason: "deleted" }, 20);
    work.record(pod, 30);
    expect(work.toItem("k")).toEqual({
      key: "k",
      priority: "child-change",
      causes: [
        { source: "Pod a", reason: "updated", count: 2, firstTime: 10, lastTime: 30 },
        { source: "Pod a", reason: "deleted", count: 1, firstTime: 20, lastTime: 20 },
      ],
      omittedCauses: 0,
    });
  });

  it("joined entries add their counts and span their times", () => {
    const work = new PendingWork(pod, 20);
    const other = new PendingWork(pod, 10);
    other.record(pod, 15);
    work.absorb(other);
    expect(work.toItem("k").causes).toEqual([
      { source: "Pod a", reason: "updated", count: 3, firstTime: 10, lastTime: 20 },
    ]);
  });

  it("the list is bounded, and no trigger goes uncounted", () => {
    const sources = fc.array(fc.nat(2 * maxCauses), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(sources, sources, (first, second) => {
        const work = gathered(first);
        work.absorb(gathered(second));
        const { causes, omittedCauses } = work.toItem("k");
        expect(causes.length).toBeLessThanOrEqual(maxCauses);
        const counted = causes.reduce((sum, { count }) => sum + count, omittedCauses);
        expect(counted).toBe(first.length + second.length);
      }),
    );
  });
});

describe("priority", () => {
  it("is the most urgent of the triggers, in whatever order they come", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...priorities), { minLength: 1 }), (classes) => {
        const [first = "retry", ...rest] = classes;
        const work = new PendingWork({ ...pod, priority: first }, 0);
        for (const priority of rest) work.record({ ...pod, priority }, 0);
        expect(work.priority).toBe(priorities.find((priority) => classes.includes(priority)));
      }),
    );
  });
});

function gathered(sources: readonly number[]): PendingWork {
  const [first = 0, ...rest] = sources;
  const trigger = (source: number): Trigger => ({ ...pod, source: `Pod ${source}` });
  const work = new PendingWork(trigger(first), 0);
  for (const source of rest) work.record(trigger(source), 0);
  return work;
}
