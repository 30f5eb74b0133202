import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TimerQueue, type QueuedTimer } from "./timer-queue.ts";

const nothing = (): void => undefined;

test("takes timers in order of time, then of setting, and never a cancelled one, whatever was done before", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), due: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ do: fc.constant("cancel" as const), which: fc.nat() }),
    fc.record({ do: fc.constant("take" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const queue = new TimerQueue();
      let model: QueuedTimer[] = [];
      const all: QueuedTimer[] = [];
      const taken: (QueuedTimer | undefined)[] = [];
      const expected: (QueuedTimer | undefined)[] = [];
      for (const action of steps) {
        if (action.do === "add") {
          const timer = queue.add(action.due, nothing);
          all.push(timer);
          // Sorting is stable, so timers of one time stay in the order of setting.
          model = [...model, timer].toSorted((a, b) => a.due - b.due);
        } else if (action.do === "cancel") {
          const timer = all[action.which % Math.max(1, all.length)];
          timer?.cancel();
          model = model.filter((other) => other !== timer);
        } else {
          taken.push(queue.peek(), queue.take());
          expected.push(model[0], model.shift());
        }
        expect(queue.size).toBe(model.length);
      }
      expect(taken).toEqual(expected);
      expect(queue.list()).toEqual(model);
    }),
  );
});

test("gives back the memory of cancelled timers that are far from due", () => {
  const queue = new TimerQueue();
  const keep = queue.add(5, nothing);
  const timers = Array.from({ length: 10_000 }, (_, i) => queue.add(1e9 + i, nothing));
  for (const timer of timers) timer.cancel();
  expect(queue.size).toBe(1);
  expect(queue.take()).toBe(keep);
  expect(queue.take()).toBeUndefined();
});
