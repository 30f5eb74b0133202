import { expect, it } from "vitest";
import { instanceOf, observedOf, podOf, statefulSetFor } from "../testing/builders.ts";
import { planReplicas } from "./replicas.ts";

it.each([
  ["as many as are wanted", { replicas: 3 }, undefined, 3, 3],
  ["none while it sleeps", { replicas: 3, hibernate: true }, 3, 0, 3],
  ["all of them when it wakes", { replicas: 3 }, 0, 3, 3],
  [
    "nothing at all when a new one is refused",
    { replicas: 2, highAvailability: true },
    undefined,
    undefined,
    2,
  ],
  ["as many as there are when fewer are refused", { replicas: 2, highAvailability: true }, 5, 5, 5],
  [
    "as many as are wanted when nobody knows how many it had",
    { replicas: 2, highAvailability: true },
    0,
    2,
    2,
  ],
  [
    "none of what sleeps, whatever is refused",
    { replicas: 2, highAvailability: true, hibernate: true },
    5,
    0,
    5,
  ],
] as const)("%s", (_what, spec, present, pods, replicas) => {
  const instance = instanceOf(spec);
  const set = statefulSetFor(instance);
  const statefulSet =
    present === undefined
      ? undefined
      : { ...set, spec: { ...set.spec, replicas: present } as typeof set.spec };
  const plan = planReplicas(observedOf(instance, { statefulSet }), instance.spec.replicas);
  expect([plan.pods, plan.replicas]).toEqual([pods, replicas]);
  expect(plan.refusals).toHaveLength("highAvailability" in spec ? 1 : 0);
});

it("as many as there are while the StatefulSet is made again", () => {
  const instance = instanceOf({ replicas: 1, highAvailability: true });
  const pods = ["cache-0", "cache-1", "cache-2"].map((name) => podOf(name, {}));
  expect(planReplicas(observedOf(instance, { pods }), 1).pods).toBe(3);
});
