import { expect, it } from "vitest";
import { placedPod, type PlacingOptions } from "./placement.ts";

const nothing: PlacingOptions = { labels: {}, annotations: {}, priorityClassName: undefined };
const labelSelector = { matchLabels: { app: "redis", "redis.github.com/instance": "cache" } };
const overNodes = {
  maxSkew: 1,
  topologyKey: "kubernetes.io/hostname",
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector,
};
const overZones = { maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
const other = { matchLabels: { app: "other" } };

it.each([
  ["over nodes when nothing is said", {}, { topologySpreadConstraints: [overNodes] }],
  ["not at all when an empty list is said", { topologySpreadConstraints: [] }, {}],
  [
    "by a constraint about our own pods when it names none",
    { topologySpreadConstraints: [overZones] },
    { topologySpreadConstraints: [{ ...overZones, labelSelector }] },
  ],
  [
    "by a constraint about the pods that it names",
    { topologySpreadConstraints: [{ ...overZones, labelSelector: other }] },
    { topologySpreadConstraints: [{ ...overZones, labelSelector: other }] },
  ],
  [
    "where the user says",
    {
      nodeSelector: { disk: "fast" },
      tolerations: [{ key: "redis", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "high",
      topologySpreadConstraints: [],
    },
    {
      nodeSelector: { disk: "fast" },
      tolerations: [{ key: "redis", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "high",
    },
  ],
])("pods are placed %s", (_where, options, expected) => {
  expect(placedPod("cache", { ...nothing, ...options })).toEqual(expected);
});
