import { expect, it } from "vitest";
import type { ToldCause } from "./why-text.ts";
import { whyText } from "./why-text.ts";
import { object } from "./testing/facts.ts";

const target = object("RedisInstance", "cache");
const waiting = { status: "InProgress", reason: "", message: "not yet" } as const;
const cause = (name: string, says: string): ToldCause => ({
  about: object("Pod", name),
  says,
  evidence: ["event X"],
  lastWords: ["a", "b", "c", "d"],
  fix: "do it",
});

it("says that nothing is wrong", () => {
  const current = { status: "Current", reason: "", message: "" } as const;
  expect(whyText(target, current, [])).toBe("RedisInstance default/cache is ready: nothing holds it up\n");
  expect(whyText(target, waiting, [])).toContain("nothing shows why yet: not yet");
});

it.each([
  ["Complete", "Current", 0, "is complete: nothing holds it up"],
  ["Failed", "Failed", 1, "has failed\n"],
  ["", "Current", 1, "is not complete\n"],
  ["", "Current", 0, "is not complete, and nothing holds it up: Job in progress."],
] as const)("never calls a job ready (%s, %s, %i causes)", (type, status, causes, says) => {
  const job = object("Job", "one", { status: { conditions: [{ type, status: "True" }] } });
  const told = [cause("one-a", "crashes")].slice(0, causes);
  const answer = whyText(job, { status, reason: "", message: "Job in progress." }, told);
  expect(answer).toContain(`Job default/one ${says}`);
});

it.each([
  [0, 1, "allows no eviction now\n"],
  [1, 0, "allows 1 eviction now: nothing holds it up\n"],
  [2, 0, "allows 2 evictions now: nothing holds it up\n"],
])("never calls a budget ready (%i evictions allowed, %i causes)", (disruptionsAllowed, causes, says) => {
  const apiVersion = "policy/v1";
  const budget = object("PodDisruptionBudget", "web", { apiVersion, status: { disruptionsAllowed } });
  const current = { status: "Current", reason: "", message: "" } as const;
  const told = [cause("web", "has no pod to spare")].slice(0, causes);
  expect(whyText(budget, current, told)).toContain(`PodDisruptionBudget default/web ${says}`);
});

it("tells each cause once, with what shows it and what to do", () => {
  const causes = [cause("cache-0", "has no image"), cause("cache-1", "has no image")];
  expect(whyText(target, waiting, causes)).toBe(
    `RedisInstance default/cache is not ready
  Pod cache-0 (and 1 more) has no image
    seen: event X
    log:  b
    log:  c
    log:  d
    try:  do it
`,
  );
});

it("is never longer than ten lines, and says when there is more", () => {
  const causes = [1, 2, 3, 4].map((number) => cause(`cache-${number}`, `fails, way ${number}`));
  const lines = whyText(target, waiting, causes).trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(10);
  expect(lines.at(-1)).toBe("  and 3 more: kubectl get events shows them");
});
