import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { labelSelector } from "./values.ts";

/** Where a pod may run. */
export function placement(choose: Chooser): JsonObject {
  return choose.fields({
    nodeSelector: [15, () => choose.map([{ a: "b" }, { a: "b", "c/d": "" }], [{ "a b": "c" }, { a: "b c" }])],
    nodeName: [8, () => choose.one(["n"], ["N_"])],
    tolerations: [15, () => choose.list(2, () => toleration(choose))],
    affinity: [15, () => affinity(choose)],
    topologySpreadConstraints: [
      10,
      () => choose.named(["kubernetes.io/hostname", "zone"], 2, (topologyKey) => spread(choose, topologyKey)),
    ],
    schedulerName: [5, () => choose.one(["x", "default-scheduler"])],
    preemptionPolicy: [4, () => choose.one(["PreemptLowerPriority"], ["Never", "Bad"])],
    priorityClassName: [5, () => choose.one(["system-node-critical", ""], ["none"])],
    runtimeClassName: [3, () => choose.one(["none"], ["X_"])],
  });
}

function toleration(choose: Chooser): JsonObject {
  return choose.one<() => JsonObject>(
    [
      () => ({ key: "a", operator: "Exists", ...effect(choose) }),
      () => ({ key: "x/y", value: "v", ...effect(choose) }),
      () => ({ operator: "Exists" }),
      () => ({
        key: "a",
        operator: "Equal",
        value: "",
        effect: "NoExecute",
        tolerationSeconds: choose.one([5, 0, -1]),
      }),
    ],
    [
      () => ({ key: "a b", operator: "Exists" }),
      () => ({ key: "a", operator: "Bad" }),
      () => ({ operator: "Equal" }),
      () => ({ key: "a", operator: "Exists", value: "v" }),
      () => ({ key: "a", tolerationSeconds: 5 }),
      () => ({ key: "a", effect: "Bad" }),
    ],
  )();
}

function effect(choose: Chooser): JsonObject {
  return choose.fields({
    effect: [60, () => choose.one(["NoExecute", "NoSchedule", "PreferNoSchedule"], ["Bad"])],
  });
}

function affinity(choose: Chooser): JsonObject {
  return choose.fields({
    nodeAffinity: [
      50,
      () =>
        choose.fields({
          requiredDuringSchedulingIgnoredDuringExecution: [
            70,
            () => ({ nodeSelectorTerms: choose.list(2, () => nodeTerm(choose), choose.isFaulty ? 0 : 1) }),
          ],
          preferredDuringSchedulingIgnoredDuringExecution: [
            40,
            () => choose.list(2, () => ({ weight: weight(choose), preference: nodeTerm(choose) })),
          ],
        }),
    ],
    podAffinity: [30, () => podTerms(choose)],
    podAntiAffinity: [50, () => podTerms(choose)],
  });
}

function nodeTerm(choose: Chooser): JsonObject {
  return choose.fields({
    matchExpressions: [90, () => choose.list(2, () => nodeRequirement(choose), 1)],
    matchFields: [
      10,
      () => [
        {
          key: choose.one(["metadata.name"], ["metadata.uid"]),
          operator: "In",
          values: [choose.one(["n"], ["N_"])],
        },
      ],
    ],
  });
}

function nodeRequirement(choose: Chooser): JsonObject {
  return choose.one(
    [
      { key: "a", operator: "In", values: ["1", "x"] },
      { key: "a", operator: "Exists" },
      { key: "c/d", operator: "Gt", values: ["5"] },
      { key: "a", operator: "NotIn", values: [""] },
    ],
    [
      { key: "a b", operator: "Exists" },
      { key: "a", operator: "In", values: [] },
      { key: "a", operator: "Gt", values: ["x"] },
      { key: "a", operator: "Bad" },
      { key: "a", operator: "Exists", values: ["1"] },
    ],
  );
}

function podTerms(choose: Chooser): JsonObject {
  return choose.fields({
    requiredDuringSchedulingIgnoredDuringExecution: [60, () => choose.list(2, () => podTerm(choose))],
    preferredDuringSchedulingIgnoredDuringExecution: [
      50,
      () => choose.list(1, () => ({ weight: weight(choose), podAffinityTerm: podTerm(choose) })),
    ],
  });
}

function podTerm(choose: Chooser): JsonObject {
  return choose.fields({
    topologyKey: [100, () => choose.one(["kubernetes.io/hostname", "zone"], ["", "a b"])],
    labelSelector: [80, () => labelSelector(choose)],
    namespaces: [10, () => [choose.one(["a"], ["B"])]],
    namespaceSelector: [10, () => labelSelector(choose)],
  });
}

function weight(choose: Chooser): number {
  return choose.one([1, 50, 100], [0, 101]);
}

function spread(choose: Chooser, topologyKey: string): JsonObject {
  return choose.fields({
    maxSkew: [100, () => choose.one([1, 2], [0, -1])],
    topologyKey: [100, () => choose.one([topologyKey], ["", "a b"])],
    whenUnsatisfiable: [100, () => choose.one(["DoNotSchedule", "ScheduleAnyway"], ["Bad"])],
    labelSelector: [70, () => labelSelector(choose)],
    minDomains: [8, () => choose.one([1], [0, -1])],
    nodeTaintsPolicy: [8, () => choose.one(["Honor", "Ignore"], ["Bad"])],
  });
}
