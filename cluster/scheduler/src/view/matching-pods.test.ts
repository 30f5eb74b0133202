import fc from "fast-check";
import { expect, it } from "vitest";
import { pod } from "../testing/builders.ts";
import { MatchingPods, type PodQuestion } from "./matching-pods.ts";
import { podInfoOf, type PodInfo } from "./pod-info.ts";

const byApp = (app: string, namespace?: string): PodQuestion => ({
  key: `${app} ${namespace ?? "*"}`,
  namespace,
  means: ({ labels }) => labels["app"] === app,
});

it("an answer that is kept up to date is the same as one that is counted anew", () => {
  const change = fc.record({
    pod: fc.integer({ min: 0, max: 5 }),
    node: fc.constantFrom("n", "m"),
    app: fc.constantFrom("a", "b"),
    namespace: fc.constantFrom("default", "other"),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const placed = new Map<number, readonly [string, PodInfo]>();
      const kept = new MatchingPods(() => placed.values());
      const questions = [byApp("a", "default"), byApp("a"), byApp("b", "other")];
      for (const question of questions) kept.count(question);
      for (const { pod: index, node, app, namespace } of changes) {
        const before = placed.get(index);
        if (before !== undefined) kept.remove(before[1], before[0]);
        const info = podInfoOf(pod(`p${index}`, { labels: { app }, metadata: { namespace } }));
        placed.set(index, [node, info]);
        kept.add(info, node);
      }
      for (const question of questions) {
        expect(kept.count(question)).toEqual(new MatchingPods(() => placed.values()).count(question));
      }
    }),
  );
});

it("forgets the question that was not asked for longest", () => {
  let counted = 0;
  const one = podInfoOf(pod("p", { labels: { app: "a" } }));
  const kept = new MatchingPods(() => {
    counted++;
    return [["n", one] as const];
  });
  for (let index = 0; index < 300; index++) kept.count(byApp(`app-${index}`));
  kept.count(byApp("app-299"));
  expect(counted).toBe(300);
  kept.count(byApp("app-0"));
  expect(counted).toBe(301);
});
