import type { Pod } from "@kedge/machinery/kinds/core/v1";
import fc from "fast-check";
import { expect, it } from "vitest";
import { now, pod, statefulSet } from "../testing/builders.ts";
import { planStatefulSet } from "./plan.ts";

/** A pod of the simulated set. */
interface Member {
  readonly revision: string;
  state: "starting" | "serving" | "failed" | "terminating";
}

type World = Map<number, Member>;

const situation = fc.record({
  from: fc.nat(5),
  to: fc.nat(5),
  isOrdered: fc.boolean(),
  partition: fc.nat(5),
  states: fc.array(fc.constantFrom("starting", "serving", "terminating"), { minLength: 6, maxLength: 6 }),
  // At most one: an ordered set with two surplus pods that can never serve waits for ever, in Kubernetes too.
  failed: fc.nat(6),
});

it("a set comes to its size and revision from any state, and an ordered one never makes two pods at once", () => {
  fc.assert(
    fc.property(situation, ({ from, to, isOrdered, partition, states, failed }) => {
      const world: World = new Map(
        Array.from({ length: from }, (_, index) => [
          index,
          {
            revision: "db-1",
            state: index === failed ? "failed" : (states[index] ?? "serving"),
          } satisfies Member,
        ]),
      );
      const set = statefulSet(to, {
        podManagementPolicy: isOrdered ? "OrderedReady" : "Parallel",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
      });
      let isQuiet = false;
      for (let turn = 0; turn < 100 && !isQuiet; turn++) {
        const actions = planStatefulSet({
          set,
          pods: [...world].map(asPod),
          claim: () => undefined,
          current: { name: "db-1", template: {} },
          update: { name: "db-2", template: {} },
          now,
        });
        const isStill = [...world.values()].every(({ state }) => state === "serving");
        isQuiet = actions.length === 0 && isStill;
        expect(actions.length).toBeLessThanOrEqual(isOrdered ? 1 : Infinity);
        const made = actions.flatMap((action) => (action.type === "create" ? [action.ordinal] : []));
        expect(made.filter((ordinal) => world.has(ordinal))).toEqual([]);
        for (const action of actions) {
          if (action.type === "create") {
            world.set(action.ordinal, { revision: action.revision.name, state: "starting" });
          } else if (action.type === "delete") {
            const found = world.get(Number(action.pod.metadata.name.slice(3)));
            if (found !== undefined) found.state = "terminating";
          }
        }
        // What was there before the run moves on by one.
        if (actions.length === 0) moveOn(world);
      }
      expect(isQuiet).toBe(true);
      expect([...world.keys()].toSorted((one, other) => one - other)).toEqual(
        Array.from({ length: to }, (_, index) => index),
      );
      const above = [...world].filter(([ordinal]) => ordinal >= partition);
      expect(above.every(([, { revision }]) => revision === "db-2")).toBe(true);
    }),
    { numRuns: 500 },
  );
});

function asPod([ordinal, { revision, state }]: [number, Member]): Pod {
  return pod(`db-${ordinal}`, {
    labels: { "controller-revision-hash": revision },
    phase: state === "failed" ? "Failed" : "Running",
    terminating: state === "terminating",
    ...(state === "serving" ? { readyFor: 60 } : {}),
  });
}

function moveOn(world: World): void {
  for (const [ordinal, member] of world) {
    if (member.state === "terminating") world.delete(ordinal);
    else if (member.state === "starting") member.state = "serving";
  }
}
