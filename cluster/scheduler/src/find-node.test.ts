import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { explain, explainPreemption } from "./explain.ts";
import { enoughNodes, findNode } from "./find-node.ts";
import { planPreemption } from "./preemption/plan-preemption.ts";
import { claim, localVolume, node, pod } from "./testing/builders.ts";
import { prepared, type Situation } from "./testing/situation.ts";

/** The node of a pod, or why it has none. */
function choose(situation: Situation): string {
  const { cycle, search } = prepared(situation);
  const finding = findNode(cycle, search);
  if (finding.node !== undefined) return finding.node.name;
  if (finding.nodes === 0 || finding.rejected !== undefined) return explain(finding, "");
  const budgets = situation.budgets ?? [];
  const plan = planPreemption(cycle, finding, { ...search, budgets, now: 0 });
  if (plan.type === "preempt") return `preempts ${plan.victims.length} on ${plan.node}`;
  return explain(finding, explainPreemption(plan.why));
}

const busy = pod("busy", { requests: { cpu: "3" } });
const dedicated = { spec: { taints: [{ key: "a", value: "b", effect: "NoSchedule" }] } };
const cordoned = { spec: { unschedulable: true } };
const web = { app: "web" };
const rule = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: web } };
const apart = {
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [rule] } },
};
const together = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [rule] } } };
const spread = (more: object = {}): Partial<Pod["spec"]> => ({
  topologySpreadConstraints: [{ ...rule, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", ...more }],
});
const withClaim: Partial<Pod["spec"]> = {
  volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }],
};
const boundTo = (hostnames: readonly string[]): Pick<Situation, "claims" | "volumes"> => ({
  claims: [claim("c", { volumeName: "v" }, { "pv.kubernetes.io/bind-completed": "yes" })],
  volumes: [localVolume("v", hostnames)],
});
const port = { ports: [{ containerPort: 80, hostPort: 80 }] };

describe("the node of a pod", () => {
  it.each<[string, Situation, string]>([
    [
      "is one that has room",
      { pod: pod("p", { requests: { cpu: "3" } }), nodes: [node("a"), node("b")], on: { a: [busy] } },
      "b",
    ],
    [
      "is the one with the most left",
      { pod: pod("p"), nodes: [node("a"), node("b", { allocatable: { cpu: "8" } })] },
      "b",
    ],
    [
      "is the one where there are fewer like it, however full",
      {
        pod: pod("p", { labels: web, spec: spread() }),
        nodes: [node("a"), node("b")],
        on: { a: [pod("o", { labels: web })], b: [busy] },
      },
      "b",
    ],
    [
      "is where there are fewer like it also when that is only a wish",
      {
        pod: pod("p", { labels: web, spec: spread({ whenUnsatisfiable: "ScheduleAnyway" }) }),
        nodes: [node("a"), node("b")],
        on: { a: [pod("o", { labels: web })], b: [busy] },
      },
      "b",
    ],
    [
      "counts only nodes that the pod could be on",
      {
        pod: pod("p", {
          labels: web,
          spec: { ...spread(), nodeSelector: { "kubernetes.io/hostname": "a" } },
        }),
        nodes: [node("a"), node("b")],
        on: { a: [pod("o", { labels: web })] },
      },
      "a",
    ],
    [
      "is the emptier one also when nobody says what they need",
      { pod: pod("p"), nodes: [node("a"), node("b")], on: { a: [pod("other")] } },
      "b",
    ],
    [
      "is one that it tolerates",
      {
        pod: pod("p", { spec: { tolerations: [{ key: "a", operator: "Exists" }] } }),
        nodes: [node("a", dedicated)],
      },
      "a",
    ],
    [
      "may be cordoned if the pod tolerates that",
      {
        pod: pod("p", { spec: { tolerations: [{ operator: "Exists" }] } }),
        nodes: [node("a", cordoned)],
      },
      "a",
    ],
    [
      "is one that it selects",
      {
        pod: pod("p", { spec: { nodeSelector: { disk: "fast" } } }),
        nodes: [node("a"), node("b", { labels: { disk: "fast" } })],
      },
      "b",
    ],
    [
      "is the one where its volume is",
      { pod: pod("p", { spec: withClaim }), nodes: [node("a"), node("b")], ...boundTo(["b"]) },
      "b",
    ],
    [
      "is not one that prefers to be left alone, but may be",
      { pod: pod("p"), nodes: [node("a", { spec: { taints: [{ key: "a", effect: "PreferNoSchedule" }] } })] },
      "a",
    ],
    [
      "is apart from pods that it wants to be apart from",
      {
        pod: pod("p", { labels: web, spec: apart }),
        nodes: [node("a"), node("b")],
        on: { a: [pod("o", { labels: web })] },
      },
      "b",
    ],
    [
      "is beside pods that it wants to be beside",
      {
        pod: pod("p", { spec: together }),
        nodes: [node("a"), node("b")],
        on: { b: [pod("o", { labels: web })] },
      },
      "b",
    ],
    [
      "is beside the first of those that want to be together",
      {
        pod: pod("p", { labels: web, spec: together }),
        nodes: [node("a"), node("b")],
        on: { b: [pod("o", { labels: web })] },
      },
      "b",
    ],
    [
      "is any for the first of those that want to be together",
      { pod: pod("p", { labels: web, spec: together }), nodes: [node("a")] },
      "a",
    ],
  ])("%s", (_name, situation, expected) => {
    expect(choose(situation)).toBe(expected);
  });
});

// Each of these is what kube-scheduler 1.36 said in the same situation.
describe("why a pod has no node", () => {
  const helpless = "1 Preemption is not helpful for scheduling.";
  const noVictims = "1 No preemption victims found for incoming pod.";
  const one = (reason: string, way: string): string =>
    `0/1 nodes are available: ${reason}. no new claims to deallocate, preemption: 0/1 nodes are available: ${way}`;
  const a = [node("a")];
  it.each<[string, Situation, string]>([
    ["there are no nodes", { pod: pod("p"), nodes: [] }, "no nodes available to schedule pods"],
    [
      "others have taken what it needs",
      { pod: pod("p", { requests: { cpu: "3" } }), nodes: a, on: { a: [busy] } },
      one("1 Insufficient cpu", noVictims),
    ],
    [
      "it needs more than any node has",
      { pod: pod("p", { requests: { cpu: "5" } }), nodes: a },
      one("1 Insufficient cpu", helpless),
    ],
    [
      "it needs more of two things",
      { pod: pod("p", { requests: { cpu: "3", memory: "20Gi" } }), nodes: a, on: { a: [busy] } },
      one("1 Insufficient cpu, 1 Insufficient memory", helpless),
    ],
    [
      "no node has such a thing",
      { pod: pod("p", { requests: { "example.com/gpu": "1" } }), nodes: a },
      one("1 Insufficient example.com/gpu", helpless),
    ],
    [
      "no node is selected",
      { pod: pod("p", { spec: { nodeSelector: { a: "b" } } }), nodes: a },
      one("1 node(s) didn't match Pod's node affinity/selector", helpless),
    ],
    [
      "its volume is elsewhere",
      { pod: pod("p", { spec: withClaim }), nodes: a, ...boundTo(["other"]) },
      one("1 node(s) didn't match PersistentVolume's node affinity", helpless),
    ],
    [
      "its port is taken",
      { pod: pod("p", { container: port }), nodes: a, on: { a: [pod("o", { container: port })] } },
      one("1 node(s) didn't have free ports for the requested pod ports", noVictims),
    ],
    [
      "each node has its own reason",
      {
        pod: pod("p", { requests: { cpu: "3" } }),
        nodes: [
          node("n1"),
          node("n2", dedicated),
          node("n3", cordoned),
          node("n4", { allocatable: { pods: "0" } }),
        ],
        on: { n1: [busy] },
      },
      "0/4 nodes are available: 1 Insufficient cpu, 1 Too many pods, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
    ],
    [
      "it wants to be apart",
      { pod: pod("p", { spec: apart }), nodes: a, on: { a: [pod("o", { labels: web })] } },
      one("1 node(s) didn't match pod anti-affinity rules", noVictims),
    ],
    [
      "another wants to be apart from it",
      { pod: pod("p", { labels: web }), nodes: a, on: { a: [pod("o", { spec: apart })] } },
      one("1 node(s) didn't satisfy existing pods anti-affinity rules", noVictims),
    ],
    [
      "no node has what its like are spread over",
      { pod: pod("p", { labels: web, spec: spread({ topologyKey: "example.com/rack" }) }), nodes: a },
      one("1 node(s) didn't match pod topology spread constraints (missing required label)", helpless),
    ],
    [
      "there are too few places to spread over",
      {
        pod: pod("p", { labels: web, spec: spread({ minDomains: 2 }) }),
        nodes: a,
        on: { a: [pod("o", { labels: web })] },
      },
      one("1 node(s) didn't match pod topology spread constraints", noVictims),
    ],
    [
      "nobody is there that it wants to be beside",
      { pod: pod("p", { spec: together }), nodes: a },
      one("1 node(s) didn't match pod affinity rules", helpless),
    ],
  ])("%s", (_name, situation, expected) => {
    expect(choose(situation)).toBe(expected);
  });
});

describe("of many nodes", () => {
  it.each([
    [99, 0, 99],
    [100, 0, 100],
    [1000, 0, 420],
    [6000, 0, 300],
    [1000, 70, 700],
    [1000, 100, 1000],
    [200, 10, 100],
  ])("%i with %i percent the best of %i is taken", (nodes, percentage, expected) => {
    expect(enoughNodes(nodes, percentage)).toBe(expected);
  });
});
