import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { labelSelector } from "./values.ts";

/** HorizontalPodAutoscalers. */
export const autoscaler: FuzzKind = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  path: `/apis/autoscaling/v2/namespaces/${fuzzNamespace}/horizontalpodautoscalers`,
  strategic: true,
  make: (choose) => ({
    spec: choose.fields({
      maxReplicas: [100, () => choose.one([3, 10], [0, -1])],
      minReplicas: [40, () => choose.one([1, 2], [0, 20])],
      scaleTargetRef: [100, () => target(choose)],
      metrics: [50, () => choose.list(2, () => metric(choose))],
      behavior: [
        30,
        () => choose.fields({ scaleUp: [60, () => rules(choose)], scaleDown: [40, () => rules(choose)] }),
      ],
    }),
  }),
  status: (choose) =>
    choose.fields({
      currentReplicas: [50, () => choose.one([1], [-1])],
      desiredReplicas: [100, () => choose.one([2], [-1])],
      lastScaleTime: [20, () => "2026-01-02T03:04:05Z"],
      conditions: [
        30,
        () => [{ type: "AbleToScale", status: "True", lastTransitionTime: null, reason: "r" }],
      ],
    }),
};

function target(choose: Chooser): JsonObject {
  return choose.fields({
    kind: [100, () => choose.one(["Deployment", "StatefulSet"], ["", "a/b"])],
    name: [100, () => choose.one(["a", "a.b"], ["", "a%b"])],
    apiVersion: [90, () => choose.one(["apps/v1", "v1", ""], ["a/b/c"])],
  });
}

function metric(choose: Chooser): JsonObject {
  const sources: Readonly<Record<string, () => JsonObject>> = {
    Resource: () => ({
      resource: {
        ...choose.fields({ name: [100, () => choose.one(["cpu", "memory"], [""])] }),
        target: resourceTarget(choose),
      },
    }),
    ContainerResource: () => ({
      containerResource: {
        ...choose.fields({ name: [100, () => "cpu"], container: [100, () => choose.one(["c"], [""])] }),
        target: resourceTarget(choose),
      },
    }),
    Pods: () => ({
      pods: {
        metric: identifier(choose),
        target: choose.one<JsonObject>(
          [{ type: "AverageValue", averageValue: "1" }],
          [
            { type: "Value", value: "1" },
            { type: "AverageValue", averageValue: "-1" },
          ],
        ),
      },
    }),
    External: () => ({
      external: {
        metric: identifier(choose),
        target: choose.one<JsonObject>(
          [
            { type: "Value", value: "100m" },
            { type: "AverageValue", averageValue: 2 },
          ],
          [{ type: "Value" }, { type: "Value", value: "1", averageValue: "1" }],
        ),
      },
    }),
    Object: () => ({
      object: {
        metric: identifier(choose),
        describedObject: target(choose),
        target: choose.one<JsonObject>([{ type: "Value", value: "1" }], [{ type: "Value" }]),
      },
    }),
  };
  const type = choose.one(Object.keys(sources));
  const made = choose.isFaulty
    ? choose.one<JsonObject>([{}, { resource: { name: "cpu", target: {} } }])
    : sources[type]?.();
  return { type: choose.one([type], ["Bad"]), ...made };
}

function identifier(choose: Chooser): JsonObject {
  return choose.fields({
    name: [100, () => choose.one(["m", "a_b"], ["", "a/b"])],
    selector: [20, () => labelSelector(choose)],
  });
}

function resourceTarget(choose: Chooser): JsonObject {
  return choose.one<JsonObject>(
    [
      { type: "Utilization", averageUtilization: 80 },
      { type: "AverageValue", averageValue: "1500m" },
    ],
    [
      { type: "Utilization" },
      { type: "Utilization", averageUtilization: 0 },
      { type: "Bad", averageUtilization: 5 },
      { type: "AverageValue", averageValue: "0" },
      { type: "Utilization", averageUtilization: 5, averageValue: "1" },
    ],
  );
}

function rules(choose: Chooser): JsonObject {
  return choose.fields({
    stabilizationWindowSeconds: [50, () => choose.one([0, 10, 3600], [-1, 5000])],
    selectPolicy: [50, () => choose.one(["Min", "Max", "Disabled"], ["Bad"])],
    policies: [
      50,
      () =>
        choose.list(
          2,
          () => ({
            type: choose.one(["Pods", "Percent"], ["Bad"]),
            value: choose.one([1, 5], [0]),
            periodSeconds: choose.one([15, 1800], [0, 5000]),
          }),
          1,
        ),
    ],
  });
}
