import { tolerates } from "@kedge/machinery";
import type { NodeSelectorTerm, Taint, Toleration } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { bareNode } from "../cluster-event.ts";
import { node } from "../testing/builders.ts";
import { matchesTerms } from "./node-selector.ts";
import { isRefusedBy } from "./taints.ts";

const subject = bareNode(node("n", { labels: { disk: "fast", cores: "8" } }));

describe("a term of a node selector", () => {
  const by = (key: string, operator: string, ...values: string[]): NodeSelectorTerm => ({
    matchExpressions: [{ key, operator, values }],
  });
  it.each<[string, NodeSelectorTerm[], boolean]>([
    ["In one of the values", [by("disk", "In", "slow", "fast")], true],
    ["In none of the values", [by("disk", "In", "slow")], false],
    ["In, without the label", [by("other", "In", "fast")], false],
    ["NotIn", [by("disk", "NotIn", "slow")], true],
    ["NotIn, without the label", [by("other", "NotIn", "slow")], true],
    ["Exists", [by("disk", "Exists")], true],
    ["DoesNotExist", [by("disk", "DoesNotExist")], false],
    ["Gt", [by("cores", "Gt", "4")], true],
    ["Gt, of the same", [by("cores", "Gt", "8")], false],
    ["Lt", [by("cores", "Lt", "9")], true],
    ["Lt, of what is no number", [by("disk", "Lt", "9")], false],
    ["an unknown operator", [by("disk", "Near", "fast")], false],
    ["one of several terms is enough", [by("disk", "In", "slow"), by("disk", "Exists")], true],
    ["a label that objects inherit", [by("constructor", "Exists")], false],
    ["an empty term fits nothing", [{}], false],
    ["no term fits nothing", [], false],
    ["a field", [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }], true],
    ["another field", [{ matchFields: [{ key: "metadata.uid", operator: "In", values: ["n"] }] }], false],
    [
      "all parts of a term must fit",
      [{ ...by("disk", "Exists"), matchFields: [{ key: "metadata.name", operator: "In", values: ["m"] }] }],
      false,
    ],
  ])("%s", (_name, terms, expected) => {
    expect(matchesTerms(subject, terms)).toBe(expected);
  });
});

describe("a toleration", () => {
  const taint: Taint = { key: "a", value: "b", effect: "NoSchedule" };
  it.each<[string, Toleration, boolean]>([
    ["of the same key and value", { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" }, true],
    ["without an operator compares values", { key: "a", value: "b" }, true],
    ["of another value", { key: "a", value: "c" }, false],
    ["of any value", { key: "a", operator: "Exists" }, true],
    ["of another effect", { key: "a", operator: "Exists", effect: "NoExecute" }, false],
    ["of everything", { operator: "Exists" }, true],
    ["of nothing", {}, false],
  ])("%s", (_name, toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });

  it("is needed for taints that keep pods away, not for those that only warn", () => {
    const taints = [{ key: "x", effect: "PreferNoSchedule" }, taint];
    const tainted = bareNode(node("n", { spec: { taints } }));
    expect(isRefusedBy(tainted, [])).toBe(true);
    expect(isRefusedBy(tainted, [{ key: "a", operator: "Exists" }])).toBe(false);
  });
});
