import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { podSpec } from "./pod-spec.ts";
import { amount, labelSelector } from "./values.ts";
import { claimSpec } from "./volume.ts";

/** Deployments, ReplicaSets and StatefulSets. */
export const workloads: readonly FuzzKind[] = [
  {
    ...apps("Deployment", "deployments"),
    make: (choose) => ({
      spec: {
        ...shared(choose),
        ...choose.fields({
          strategy: [30, () => strategy(choose)],
          minReadySeconds: [15, () => choose.one([0, 5], [-1, 700])],
          revisionHistoryLimit: [15, () => choose.one([0, 5], [-1])],
          progressDeadlineSeconds: [15, () => choose.one([60, 1000], [0, 5, -1])],
          paused: [10, () => choose.maybe()],
        }),
      },
    }),
    status: (choose) => ({
      ...counts(choose),
      ...choose.fields({
        updatedReplicas: [50, () => choose.one([0, 1], [-1])],
        unavailableReplicas: [20, () => 1],
      }),
    }),
  },
  {
    ...apps("ReplicaSet", "replicasets"),
    make: (choose) => ({
      spec: {
        ...shared(choose),
        ...choose.fields({ minReadySeconds: [15, () => choose.one([0, 5], [-1])] }),
      },
    }),
    status: (choose) => ({
      ...counts(choose),
      ...choose.fields({ fullyLabeledReplicas: [50, () => choose.one([0, 1], [9])] }),
    }),
  },
  {
    ...apps("StatefulSet", "statefulsets"),
    make: (choose) => ({
      spec: {
        ...shared(choose),
        ...choose.fields({
          serviceName: [80, () => choose.one(["s", ""], ["S_", "a.b"])],
          podManagementPolicy: [15, () => choose.one(["Parallel", "OrderedReady"], ["Bad"])],
          updateStrategy: [25, () => updateStrategy(choose)],
          volumeClaimTemplates: [
            30,
            () => choose.named(["v", "data"], 2, (name) => ({ metadata: { name }, spec: claimSpec(choose) })),
          ],
          persistentVolumeClaimRetentionPolicy: [
            15,
            () =>
              choose.fields({
                whenDeleted: [60, () => choose.one(["Delete", "Retain"], ["Bad"])],
                whenScaled: [40, () => choose.one(["Delete", "Retain"], ["Bad"])],
              }),
          ],
          ordinals: [10, () => ({ start: choose.one([0, 1], [-1]) })],
          minReadySeconds: [10, () => choose.one([0, 5], [-1])],
          revisionHistoryLimit: [10, () => choose.one([0, 5], [-1])],
        }),
      },
    }),
    status: (choose) => ({
      ...counts(choose),
      ...choose.fields({
        currentReplicas: [50, () => choose.one([0, 1], [-1, 9])],
        updateRevision: [30, () => "r"],
        collisionCount: [10, () => choose.one([0, 2], [-1])],
      }),
    }),
  },
];

function apps(kind: string, plural: string): Omit<FuzzKind, "make"> {
  return {
    apiVersion: "apps/v1",
    kind,
    path: `/apis/apps/v1/namespaces/${fuzzNamespace}/${plural}`,
    strategic: true,
  };
}

function shared(choose: Chooser): JsonObject {
  const app = choose.one(["a", "b"]);
  return choose.fields({
    replicas: [40, () => choose.one([0, 1, 3], [-1])],
    selector: [100, () => (choose.isFaulty ? labelSelector(choose) : { matchLabels: { app } })],
    template: [
      100,
      () => ({
        metadata: choose.fields({
          labels: [100, () => choose.map([{ app }, { app, x: "y" }], [{ app: "c" }, { "a b": "c" }])],
          annotations: [15, () => choose.map([{ a: "x" }], [{ "a b": "x" }])],
        }),
        spec: podSpec(choose, { template: true }),
      }),
    ],
  });
}

function strategy(choose: Chooser): JsonObject {
  const rollingUpdate = () =>
    choose.fields({ maxSurge: [70, () => amount(choose)], maxUnavailable: [70, () => amount(choose)] });
  return choose.one<() => JsonObject>(
    [
      () => ({ type: "Recreate" }),
      () => ({ type: "RollingUpdate", rollingUpdate: rollingUpdate() }),
      () => ({ rollingUpdate: rollingUpdate() }),
      () => ({}),
    ],
    [() => ({ type: "Bad" }), () => ({ type: "Recreate", rollingUpdate: rollingUpdate() })],
  )();
}

function updateStrategy(choose: Chooser): JsonObject {
  const rollingUpdate = () =>
    choose.fields({
      partition: [60, () => choose.one([0, 2], [-1])],
      maxUnavailable: [20, () => amount(choose)],
    });
  return choose.one<() => JsonObject>(
    [
      () => ({ type: "OnDelete" }),
      () => ({ type: "RollingUpdate", rollingUpdate: rollingUpdate() }),
      () => ({ type: "RollingUpdate" }),
    ],
    [() => ({ type: "Bad" }), () => ({ type: "OnDelete", rollingUpdate: { partition: 1 } })],
  )();
}

function counts(choose: Chooser): JsonObject {
  return choose.fields({
    replicas: [100, () => choose.one([1, 3], [-1])],
    readyReplicas: [60, () => choose.one([0, 1], [-1, 9])],
    availableReplicas: [60, () => choose.one([0, 1], [-1, 9])],
    observedGeneration: [40, () => choose.one([1, 2], [-1])],
    conditions: [
      20,
      () => [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: "2026-01-02T03:04:05Z",
          lastUpdateTime: null,
        },
      ],
    ],
  });
}
