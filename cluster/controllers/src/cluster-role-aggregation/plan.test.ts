import type { ClusterRole, PolicyRule } from "@kedge/machinery/kinds/rbac/v1";
import { resourceVersion, uid } from "@kedge/machinery";
import { expect, it } from "vitest";
import { aggregatedRules } from "./plan.ts";

const get = (resource: string): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });

function role(
  name: string,
  rules: PolicyRule[],
  more: Partial<ClusterRole> & { labels?: string[] } = {},
): ClusterRole {
  const { labels = [], ...rest } = more;
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: {
      name,
      uid: uid(name),
      resourceVersion: resourceVersion("1"),
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: Object.fromEntries(labels.map((label) => [label, "true"])),
    },
    rules,
    ...rest,
  };
}

const both = { clusterRoleSelectors: [{ matchLabels: { x: "true" } }, { matchLabels: { y: "true" } }] };
const sources = [
  role("c", [get("pods"), get("nodes")], { labels: ["y", "x"] }),
  role("b", [get("nodes"), get("secrets")], { labels: ["x"] }),
  role("d", [get("services")], { labels: ["z"] }),
];

it("gathers the rules of all chosen roles by selector and name, each once, and none of its own", () => {
  const own = role("a", [get("events")], { aggregationRule: both, labels: ["x"] });
  expect(aggregatedRules(own, [own, ...sources])).toEqual([get("nodes"), get("secrets"), get("pods")]);
});

it("takes away what is no longer chosen", () => {
  const own = role("a", [get("pods")], {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { q: "" } }] },
  });
  expect(aggregatedRules(own, sources)).toEqual([]);
});

it("leaves a role that is as it should be, and one that gathers nothing", () => {
  const rules = [get("nodes"), get("secrets"), get("pods")];
  expect(aggregatedRules(role("a", rules, { aggregationRule: both }), sources)).toBeUndefined();
  expect(aggregatedRules(role("a", rules), sources)).toBeUndefined();
});
