import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agedShare, PriorityLanes } from "./priority-lanes.ts";
import { priorities, type Priority } from "./types.ts";

type Step = { readonly put: readonly [key: string, priority: Priority] } | "take";

const steps = fc.array(
  fc.oneof(
    fc.record({
      put: fc.tuple(fc.constantFrom("a", "b", "c", "d", "e", "f"), fc.constantFrom(...priorities)),
    }),
    fc.constant("take" as const),
  ),
  { maxLength: 80 },
);

describe("order", () => {
  it("urgent classes first, first in first out inside a class", () => {
    const lanes = new PriorityLanes(() => undefined);
    lanes.put("a", "resync");
    lanes.put("b", "spec-change");
    lanes.put("c", "child-change");
    lanes.put("d", "spec-change");
    const taken = [1, 2, 3, 4, 5].map(() => lanes.take());
    expect(taken).toEqual(["b", "d", "c", "a", undefined]);
  });

  it("a key moves to the end of a more urgent class, never to a less urgent one", () => {
    const lanes = new PriorityLanes(() => undefined);
    lanes.put("a", "initial-list");
    lanes.put("b", "retry");
    lanes.put("a", "retry");
    lanes.put("b", "initial-list");
    expect([lanes.take(), lanes.take(), lanes.size]).toEqual(["b", "a", 0]);
  });

  it("behaves as a list that is searched each time", () => {
    fc.assert(
      fc.property(steps, (script) => {
        const depths = new Map<Priority, number>();
        const lanes = new PriorityLanes((priority, keys) => depths.set(priority, keys));
        const model = new ListModel();
        for (const step of script) {
          expect(play(lanes, step)).toBe(play(model, step));
          expect(lanes.size).toBe(model.places.length);
        }
        for (const [priority, keys] of depths) {
          expect(keys).toBe(model.places.filter((place) => place.priority === priority).length);
        }
      }),
    );
  });
});

describe("fairness", () => {
  it.each([0, 1, 7])("a key behind %i others leaves in time under a flood of urgent ones", (others) => {
    const lanes = new PriorityLanes(() => undefined);
    for (let other = 0; other < others; other++) lanes.put(`other-${other}`, "initial-list");
    lanes.put("patient", "initial-list");
    const taken: (string | undefined)[] = [];
    for (let round = 0; round < agedShare * (others + 1); round++) {
      lanes.put(`urgent-${round}`, "spec-change");
      taken.push(lanes.take());
    }
    expect(taken).toContain("patient");
    const urgent = taken.filter((key) => key?.startsWith("urgent") === true);
    expect(urgent.length).toBe(taken.length * (1 - 1 / agedShare));
  });
});

function play(lanes: Pick<PriorityLanes, "put" | "take">, step: Step): string | undefined {
  if (step === "take") return lanes.take();
  lanes.put(...step.put);
  return undefined;
}

class ListModel {
  readonly places: { key: string; priority: Priority }[] = [];
  #taken = 0;

  put(key: string, priority: Priority): void {
    const at = this.places.findIndex((place) => place.key === key);
    const old = this.places[at];
    if (old !== undefined && priorities.indexOf(old.priority) <= priorities.indexOf(priority)) return;
    if (old !== undefined) this.places.splice(at, 1);
    this.places.push({ key, priority });
  }

  take(): string | undefined {
    if (this.places.length === 0) return undefined;
    this.#taken += 1;
    const best = priorities.find((priority) => this.places.some((place) => place.priority === priority));
    const at = this.#taken % agedShare === 0 ? 0 : this.places.findIndex(({ priority }) => priority === best);
    return this.places.splice(at, 1)[0]?.key;
  }
}
