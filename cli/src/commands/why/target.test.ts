import { expect, it } from "vitest";
import { parseTarget } from "./target.ts";

it.each([
  [["pod/web-0"], { kind: "pod", name: "web-0" }],
  [
    ["redisinstances.redis.github.com", "sample"],
    { kind: "redisinstances.redis.github.com", name: "sample" },
  ],
])("takes %j", (words, target) => {
  expect(parseTarget(words)).toEqual(target);
});

it.each([[["pod"]], [["pod/"]], [["/a"]], [["pod/a/b"]], [["pod", ""]]])(
  "refuses %j with an example",
  (words) => {
    expect(() => parseTarget(words)).toThrow("kedge why redisinstance/sample");
  },
);

it("takes one object at a time, and says so", () => {
  expect(() => parseTarget(["job/a", "job/b"])).toThrow(
    "one object at a time: `kedge why job/a`, then `kedge why job/b`",
  );
});
