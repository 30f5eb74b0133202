import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import type { ScoreName } from "../profile.ts";
import { node, pod } from "../testing/builders.ts";
import { prepared, type Situation } from "../testing/situation.ts";
import { allScores } from "./all-scores.ts";

/** What one score gives each node, in their order; "the same": it makes no difference. */
function scoresOf(name: ScoreName, situation: Situation): readonly number[] | "the same" {
  const { cycle } = prepared(situation);
  const { nodes } = cycle.view;
  const score = allScores.find((each) => each.name === name)?.prepare(cycle, nodes);
  if (score === undefined) return "the same";
  const scores = nodes.map((each) => score.of(each));
  score.normalize?.(scores, nodes);
  return scores;
}

const quarter = pod("p", { requests: { cpu: "1", memory: "2Gi" } });
const [a, b] = [node("a"), node("b")];
const on = { a: [quarter] };
const web = { app: "web" };
const near = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: web } };
const wish = (kind: "podAffinity" | "podAntiAffinity"): Partial<Pod["spec"]> => ({
  affinity: {
    [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: near }] },
  },
});
const anyway = { ...near, maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway" };
const line = [
  { utilization: 0, score: 0 },
  { utilization: 50, score: 10 },
  { utilization: 100, score: 2 },
];
const mebibytes = 1024 * 1024;

describe("the score of each node", () => {
  it.each<[string, ScoreName, Situation, readonly number[] | "the same"]>([
    ["by what is left", "NodeResourcesFit", { pod: quarter, nodes: [a, b], on }, [50, 75]],
    [
      "by what is used",
      "NodeResourcesFit",
      { pod: quarter, nodes: [a, b], on, profile: { resources: { type: "MostAllocated" } } },
      [50, 25],
    ],
    [
      "by a line",
      "NodeResourcesFit",
      {
        pod: quarter,
        nodes: [a, b],
        on: { a: [quarter, quarter] },
        profile: { resources: { type: "RequestedToCapacityRatio", shape: line } },
      },
      [60, 50],
    ],
    [
      "by a resource that only one has",
      "NodeResourcesFit",
      {
        pod: pod("p", { requests: { gpu: "1" } }),
        nodes: [a, node("b", { allocatable: { gpu: "4" } })],
        profile: { resources: { type: "MostAllocated", resources: [{ name: "gpu", weight: 3 }] } },
      },
      [0, 25],
    ],
    [
      "by the balance that the pod makes better or worse",
      "NodeResourcesBalancedAllocation",
      {
        pod: pod("p", { requests: { cpu: "2" } }),
        nodes: [a, b],
        on: { a: [pod("o", { requests: { memory: "4Gi" } })] },
      },
      [87, 62],
    ],
    [
      "without a balance for pods that ask for nothing",
      "NodeResourcesBalancedAllocation",
      { pod: pod("p"), nodes: [a] },
      "the same",
    ],
    [
      "by images, less when few have them",
      "ImageLocality",
      {
        pod: pod("p"),
        nodes: [a, node("b", { images: [{ names: ["main:1"], sizeBytes: 1000 * mebibytes }] })],
      },
      [0, 48],
    ],
    [
      "by taints that only warn",
      "TaintToleration",
      {
        pod: pod("p"),
        nodes: [node("a", { spec: { taints: [{ key: "x", effect: "PreferNoSchedule" }] } }), b],
      },
      [0, 100],
    ],
    ["the same without such taints", "TaintToleration", { pod: pod("p"), nodes: [a, b] }, "the same"],
    [
      "by the weights of node affinity",
      "NodeAffinity",
      {
        pod: pod("p", {
          spec: {
            affinity: {
              nodeAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 10, preference: { matchExpressions: [{ key: "x", operator: "Exists" }] } },
                  { weight: 80, preference: { matchExpressions: [{ key: "y", operator: "Exists" }] } },
                ],
              },
            },
          },
        }),
        nodes: [node("a", { labels: { x: "1" } }), node("b", { labels: { y: "1" } })],
      },
      [12, 100],
    ],
    [
      "by whom it would like to be beside",
      "InterPodAffinity",
      { pod: pod("p", { spec: wish("podAffinity") }), nodes: [a, b], on: { b: [pod("o", { labels: web })] } },
      [0, 100],
    ],
    [
      "by whom it would like to be apart from",
      "InterPodAffinity",
      {
        pod: pod("p", { spec: wish("podAntiAffinity") }),
        nodes: [a, b],
        on: { b: [pod("o", { labels: web })] },
      },
      [100, 0],
    ],
    [
      "by who would like it beside them",
      "InterPodAffinity",
      { pod: pod("p", { labels: web }), nodes: [a, b], on: { a: [pod("o", { spec: wish("podAffinity") })] } },
      [100, 0],
    ],
    [
      "by spread that is only wished for",
      "PodTopologySpread",
      {
        pod: pod("p", { labels: web, spec: { topologySpreadConstraints: [anyway] } }),
        nodes: [a, b],
        on: { a: [pod("o", { labels: web })] },
      },
      [0, 100],
    ],
    [
      "last for nodes without the label",
      "PodTopologySpread",
      {
        pod: pod("p", {
          labels: web,
          spec: { topologySpreadConstraints: [{ ...anyway, topologyKey: "rack" }] },
        }),
        nodes: [a, node("b", { labels: { rack: "1" } })],
      },
      [0, 100],
    ],
    [
      "by how many of its service are there, unless it says otherwise",
      "PodTopologySpread",
      {
        pod: pod("p", { labels: web }),
        nodes: [a, b],
        on: { a: [pod("o", { labels: web })] },
        owners: { services: () => [web] },
      },
      [66, 100],
    ],
  ])("%s", (_name, score, situation, expected) => {
    expect(scoresOf(score, situation)).toEqual(expected);
  });
});
