import { describe, expect, it } from "vitest";
import { matchesNodeTerms, selectsNode, type NodeTerm } from "./node-selector.ts";

const node = { name: "n", labels: { disk: "fast", cores: "8", size: "9007199254740993" } };

describe("a term of a node selector", () => {
  const by = (key: string, operator: string, ...values: string[]): NodeTerm => ({
    matchExpressions: [{ key, operator, values }],
  });
  it.each<[string, NodeTerm[], boolean]>([
    ["In one of the values", [by("disk", "In", "slow", "fast")], true],
    ["In none of the values", [by("disk", "In", "slow")], false],
    ["In, without the label", [by("other", "In", "fast")], false],
    ["NotIn", [by("disk", "NotIn", "slow")], true],
    ["NotIn, without the label", [by("other", "NotIn", "slow")], true],
    ["Exists", [by("disk", "Exists")], true],
    ["DoesNotExist", [by("disk", "DoesNotExist")], false],
    ["Gt", [by("cores", "Gt", "4")], true],
    ["Gt, of the same", [by("cores", "Gt", "8")], false],
    ["Gt, of one less than a large number", [by("size", "Gt", "9007199254740992")], true],
    ["Gt, without the label", [by("other", "Gt", "-1")], false],
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
    expect(matchesNodeTerms(terms, node)).toBe(expected);
  });
});

describe("a pod selects a node", () => {
  const affinity = (...nodeSelectorTerms: NodeTerm[]) => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  });
  const many = { matchExpressions: [{ key: "cores", operator: "Gt", values: ["4"] }] };
  it.each<[string, Parameters<typeof selectsNode>[0], boolean]>([
    ["when it asks for nothing", {}, true],
    ["by a label", { nodeSelector: { disk: "fast" } }, true],
    ["by all its labels", { nodeSelector: { disk: "fast", cores: "9" } }, false],
    ["by its required affinity", { affinity: affinity(many) }, true],
    ["by both", { nodeSelector: { disk: "slow" }, affinity: affinity(many) }, false],
    ["never by required affinity without terms", { affinity: affinity() }, false],
  ])("%s", (_name, spec, expected) => {
    expect(selectsNode(spec, node)).toBe(expected);
  });
});
