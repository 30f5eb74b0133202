import { expect, it } from "vitest";
import { defaultProfile, type Profile } from "../profile.ts";
import { readConfiguration } from "./read-configuration.ts";

const head = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" };

it.each<[string, object, readonly Profile[]]>([
  ["nothing but its kind is Kubernetes' default", {}, [defaultProfile]],
  ["no profile name is the default's", { profiles: [{}] }, [defaultProfile]],
  [
    "several profiles, each with what all have",
    {
      percentageOfNodesToScore: 50,
      profiles: [{ schedulerName: "a" }, { schedulerName: "b", percentageOfNodesToScore: 100 }],
    },
    [
      { schedulerName: "a", percentageOfNodesToScore: 50 },
      { schedulerName: "b", percentageOfNodesToScore: 100 },
    ],
  ],
  [
    "weights: one turned off, one heavier, one by default",
    {
      profiles: [
        {
          plugins: {
            score: {
              disabled: [{ name: "ImageLocality" }],
              enabled: [{ name: "NodeAffinity", weight: 7 }, { name: "TaintToleration" }],
            },
          },
        },
      ],
    },
    [{ ...defaultProfile, weights: { ImageLocality: 0, NodeAffinity: 7, TaintToleration: 1 } }],
  ],
  [
    "all turned off but one",
    {
      profiles: [
        {
          plugins: {
            score: { disabled: [{ name: "*" }], enabled: [{ name: "NodeResourcesFit", weight: 2 }] },
          },
        },
      ],
    },
    [
      {
        ...defaultProfile,
        weights: {
          TaintToleration: 0,
          NodeAffinity: 0,
          NodeResourcesFit: 2,
          PodTopologySpread: 0,
          InterPodAffinity: 0,
          NodeResourcesBalancedAllocation: 0,
          ImageLocality: 0,
        },
      },
    ],
  ],
  [
    "arguments of every plugin",
    {
      profiles: [
        {
          schedulerName: "packed",
          pluginConfig: [
            {
              name: "NodeResourcesFit",
              args: {
                apiVersion: head.apiVersion,
                kind: "NodeResourcesFitArgs",
                ignoredResources: ["example.com/x"],
                ignoredResourceGroups: ["example.org"],
                scoringStrategy: {
                  type: "RequestedToCapacityRatio",
                  resources: [{ name: "cpu", weight: 3 }, { name: "memory" }],
                  requestedToCapacityRatio: {
                    shape: [
                      { utilization: 0, score: 0 },
                      { utilization: 100, score: 10 },
                    ],
                  },
                },
              },
            },
            { name: "NodeResourcesBalancedAllocation", args: { resources: [{ name: "cpu", weight: 1 }] } },
            {
              name: "NodeAffinity",
              args: {
                addedAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [
                      { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] },
                    ],
                  },
                },
              },
            },
            {
              name: "PodTopologySpread",
              args: {
                defaultingType: "List",
                defaultConstraints: [
                  { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" },
                ],
              },
            },
            { name: "InterPodAffinity", args: { hardPodAffinityWeight: 5 } },
          ],
        },
      ],
    },
    [
      {
        schedulerName: "packed",
        ignoredResources: ["example.com/x"],
        ignoredResourceGroups: ["example.org"],
        resources: {
          type: "RequestedToCapacityRatio",
          resources: [
            { name: "cpu", weight: 3 },
            { name: "memory", weight: 1 },
          ],
          shape: [
            { utilization: 0, score: 0 },
            { utilization: 100, score: 10 },
          ],
        },
        balancedResources: ["cpu"],
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] }],
          },
        },
        defaultConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }],
        hardPodAffinityWeight: 5,
      },
    ],
  ],
])("reads %s", (_what, more, expected) => {
  expect(readConfiguration({ ...head, ...more })).toEqual(expected);
});

const fit = (scoringStrategy: object): object => ({
  profiles: [{ pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy } }] }],
});

it.each<[string, unknown]>([
  ["it is null and must be an object", null],
  ['apiVersion is "v1" and must be one of: kubescheduler.config.k8s.io/v1', { ...head, apiVersion: "v1" }],
  ["kind is absent and must be one of: KubeSchedulerConfiguration", { apiVersion: head.apiVersion }],
  [
    "leaderElection is {} and is not done here; these are: apiVersion, kind, profiles, percentageOfNodesToScore",
    { ...head, leaderElection: {} },
  ],
  ["profiles is {} and must be a list", { ...head, profiles: {} }],
  [
    'profiles[1].schedulerName is "default-scheduler" and is the name of two profiles',
    { ...head, profiles: [{}, {}] },
  ],
  ['profiles[0].schedulerName is "" and must be a text', { ...head, profiles: [{ schedulerName: "" }] }],
  [
    "profiles[0].percentageOfNodesToScore is 101 and must be a whole number from 0 to 100",
    { ...head, profiles: [{ percentageOfNodesToScore: 101 }] },
  ],
  [
    "profiles[0].plugins.filter is {} and is not done here; these are: score",
    { ...head, profiles: [{ plugins: { filter: {} } }] },
  ],
  [
    'profiles[0].plugins.score.enabled[0].name is "Mine" and must be one of: TaintToleration, NodeAffinity, NodeResourcesFit, PodTopologySpread, InterPodAffinity, NodeResourcesBalancedAllocation, ImageLocality',
    { ...head, profiles: [{ plugins: { score: { enabled: [{ name: "Mine" }] } } }] },
  ],
  [
    'profiles[0].pluginConfig[1].name is "InterPodAffinity" and has arguments already',
    {
      ...head,
      profiles: [
        {
          pluginConfig: [
            { name: "InterPodAffinity", args: {} },
            { name: "InterPodAffinity", args: {} },
          ],
        },
      ],
    },
  ],
  [
    "profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio is absent and goes with the type RequestedToCapacityRatio, and that with it",
    { ...head, ...fit({ type: "RequestedToCapacityRatio" }) },
  ],
  [
    "profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape is [] and must have a point",
    { ...head, ...fit({ type: "RequestedToCapacityRatio", requestedToCapacityRatio: { shape: [] } }) },
  ],
])("refuses with the words: %s", (words, value) => {
  expect(() => readConfiguration(value)).toThrow(words);
});
