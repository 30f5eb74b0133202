import { describe, expect, it } from "vitest";
import { missingRules, rightsText, uncovered } from "./covers.ts";
import type { Rule } from "./rule.ts";

const get = (resource: string, more: Partial<Rule> = {}): Rule => ({
  verbs: ["get"],
  apiGroups: [""],
  resources: [resource],
  ...more,
});

describe("what rules lack of others", () => {
  it.each<[string, readonly Rule[], readonly Rule[], string]>([
    ["nothing, when they are the same", [get("pods")], [get("pods")], ""],
    [
      "nothing, when two have it together",
      [get("pods"), get("nodes")],
      [{ ...get("pods"), resources: ["pods", "nodes"] }],
      "",
    ],
    [
      "a verb",
      [get("pods")],
      [get("pods", { verbs: ["get", "list"] })],
      '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
    ],
    [
      "all names, when they have one",
      [get("pods", { resourceNames: ["a"] })],
      [get("pods")],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ],
    ["nothing of a name, when they have all", [get("pods")], [get("pods", { resourceNames: ["a"] })], ""],
    ["nothing of a subresource, by the star", [get("*/log")], [get("pods/log")], ""],
    [
      "the object, by the star of a subresource",
      [get("*/log")],
      [get("pods")],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ],
    [
      "a path",
      [{ verbs: ["get"], nonResourceURLs: ["/a/*"] }],
      [{ verbs: ["get"], nonResourceURLs: ["/a/b", "/c"] }],
      '{NonResourceURLs:["/c"], Verbs:["get"]}',
    ],
    [
      "a star, which is more than all that there is",
      [get("pods")],
      [get("*")],
      '{APIGroups:[""], Resources:["*"], Verbs:["get"]}',
    ],
  ])("is %s", (_what, held, wanted, text) => {
    expect(rightsText(uncovered(held, wanted) ?? [])).toBe(text);
  });

  it("is a rule for each thing", () => {
    expect(missingRules([], [get("pods", { verbs: ["get", "list"], resourceNames: ["a"] })])).toEqual([
      get("pods", { resourceNames: ["a"] }),
      get("pods", { verbs: ["list"], resourceNames: ["a"] }),
    ]);
  });

  it("is not found out when a few lines stand for millions of things", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `x${index}`);
    const huge = { verbs: many, apiGroups: many, resources: many };
    expect(uncovered([get("pods")], [huge])).toBeUndefined();
    // Who may do everything is told at once.
    expect(uncovered([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], [huge])).toEqual([]);
  });
});
