import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricTarget,
} from "@kedge/machinery/kinds/autoscaling/v2";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { autoscaler, cpuUtilization, used, worker } from "../../testing/autoscaler-builders.ts";
import { now } from "../../testing/builders.ts";
import { defaultHorizontalPodAutoscaler as options } from "../options.ts";
import type { Measurement } from "./amounts.ts";
import { newHistory } from "./history.ts";
import { planByBounds, planByMetrics, type Plan } from "./plan.ts";

const pods = ["p0", "p1"].map((name) => worker(name));

interface Setup {
  readonly metrics: MetricSpec[];
  readonly measured: readonly Measurement[];
  readonly spec?: Partial<HorizontalPodAutoscaler["spec"]>;
  readonly pods?: readonly Pod[];
}

function planned({ metrics, measured, spec, pods: own = pods }: Setup): Plan {
  return planByMetrics({
    autoscaler: autoscaler(metrics, spec),
    scale: { specReplicas: 2, statusReplicas: 2 },
    pods: own,
    measurements: measured,
    history: newHistory(0, 0),
    options,
    now,
    monotonic: 1_000_000,
  });
}

const cpu = (amount: number): Measurement => ({ pods: used({ p0: amount, p1: amount }) });
const failed: Measurement = { failure: "nobody knows" };
const average = (averageValue: string): MetricTarget => ({ type: "AverageValue", averageValue });
const value = (text: string): MetricTarget => ({ type: "Value", value: text });
const describedObject = { apiVersion: "v1", kind: "Service", name: "front" };
const object = (target: MetricTarget): MetricSpec => ({
  type: "Object",
  object: { describedObject, metric: { name: "hits" }, target },
});
const external = (target: MetricTarget): MetricSpec => ({
  type: "External",
  external: { metric: { name: "queue", selector: { matchLabels: { of: "mine" } } }, target },
});
const selector =
  "&LabelSelector{MatchLabels:map[string]string{of: mine,},MatchExpressions:[]LabelSelectorRequirement{},}";

describe("without a look at metrics", () => {
  it.each<readonly [string, number, Plan["rescale"]]>([
    ["above the most", 12, { replicas: 10, reason: "Current number of replicas above Spec.MaxReplicas" }],
    ["below the least", 2, { replicas: 3, reason: "Current number of replicas below Spec.MinReplicas" }],
  ])("brings a size back that is %s", (_title, specReplicas, rescale) => {
    const plan = planByBounds({
      autoscaler: autoscaler([], { minReplicas: 3 }),
      scale: { specReplicas, statusReplicas: 0 },
      history: newHistory(0, 0),
    });
    expect(plan?.rescale).toEqual(rescale);
  });

  it("leaves alone what somebody has stopped", () => {
    const scale = { specReplicas: 0, statusReplicas: 0 };
    const plan = planByBounds({ autoscaler: autoscaler([]), scale, history: newHistory(0, 0) });
    expect(plan?.rescale).toBeUndefined();
    expect(plan?.conditions[0]).toMatchObject({
      type: "ScalingActive",
      status: "False",
      reason: "ScalingDisabled",
    });
  });
});

describe("what each source recommends", () => {
  it.each<readonly [string, MetricSpec, Measurement, number, string, unknown]>([
    [
      "the processor in percent",
      cpuUtilization(50),
      cpu(1000),
      4,
      "cpu resource utilization (percentage of request) above target",
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "1" } },
      },
    ],
    [
      "memory by its amount",
      { type: "Resource", resource: { name: "memory", target: average("512Mi") } },
      { pods: used({ p0: 1024 ** 3 * 1000, p1: 1024 ** 3 * 1000 }) },
      4,
      "memory resource above target",
      { type: "Resource", resource: { name: "memory", current: { averageValue: "1Gi" } } },
    ],
    [
      "the processor of one container",
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "main",
          target: { type: "Utilization", averageUtilization: 50 },
        },
      },
      cpu(750),
      3,
      "cpu container resource utilization (percentage of request) above target",
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "main",
          current: { averageUtilization: 75, averageValue: "750m" },
        },
      },
    ],
    [
      "what pods say",
      { type: "Pods", pods: { metric: { name: "requests" }, target: average("10") } },
      { pods: used({ p0: 15_000, p1: 20_001 }) },
      4,
      "pods metric requests above target",
      { type: "Pods", pods: { metric: { name: "requests" }, current: { averageValue: "17500m" } } },
    ],
    [
      "the value of an object",
      object(value("100")),
      { values: [150_000n] },
      3,
      "Service metric hits above target",
      { type: "Object", object: { metric: { name: "hits" }, describedObject, current: { value: "150" } } },
    ],
    [
      "its share for each pod",
      object(average("100")),
      { values: [301_000n] },
      4,
      "external metric hits(nil) above target",
      {
        type: "Object",
        object: { metric: { name: "hits" }, describedObject, current: { averageValue: "150500m" } },
      },
    ],
    [
      "values from outside",
      external(value("100")),
      { values: [100_000n, 50_000n] },
      3,
      `external metric queue(${selector}) above target`,
      {
        type: "External",
        external: {
          metric: { name: "queue", selector: { matchLabels: { of: "mine" } } },
          current: { value: "150" },
        },
      },
    ],
    [
      "their share for each pod",
      external(average("100")),
      { values: [400_000n] },
      4,
      `external metric queue(${selector}) above target`,
      {
        type: "External",
        external: {
          metric: { name: "queue", selector: { matchLabels: { of: "mine" } } },
          current: { averageValue: "200" },
        },
      },
    ],
  ])("%s", (_title, metric, measured, replicas, reason, status) => {
    const plan = planned({ metrics: [metric], measured: [measured] });
    expect(plan.rescale).toEqual({ replicas, reason });
    expect(plan.currentMetrics).toEqual([status]);
  });
});

describe("what is said of a metric that cannot be read", () => {
  it.each<readonly [string, MetricSpec, string, string, string]>([
    [
      "the processor",
      cpuUtilization(50),
      "FailedGetResourceMetric",
      "failed to get cpu utilization: unable to get metrics for resource cpu: nobody knows",
      "failed to get cpu resource metric value: ",
    ],
    [
      "memory",
      { type: "Resource", resource: { name: "memory", target: average("1Gi") } },
      "FailedGetResourceMetric",
      "failed to get memory usage: unable to get metrics for resource memory: nobody knows",
      "failed to get memory resource metric value: ",
    ],
    [
      "a container",
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "main", target: average("1") },
      },
      "FailedGetContainerResourceMetric",
      "failed to get cpu usage: unable to get metrics for resource cpu: nobody knows",
      "failed to get main container metric value: ",
    ],
    [
      "pods",
      { type: "Pods", pods: { metric: { name: "requests" }, target: average("10") } },
      "FailedGetPodsMetric",
      "unable to get metric requests: nobody knows",
      "failed to get pods metric value: ",
    ],
    [
      "an object",
      object(value("1")),
      "FailedGetObjectMetric",
      "unable to get metric hits: Service on default front/nobody knows",
      "failed to get object metric value: ",
    ],
    [
      "an object's share",
      object(average("1")),
      "FailedGetObjectMetric",
      "unable to get metric hits: Service on default front/nobody knows",
      "failed to get object metric value: failed to get hits object metric: ",
    ],
    [
      "something outside",
      external(value("1")),
      "FailedGetExternalMetric",
      `unable to get external metric default/queue/${selector}: nobody knows`,
      "failed to get queue external metric value: failed to get external metric queue: ",
    ],
    [
      "its share",
      external(average("1")),
      "FailedGetExternalMetric",
      `unable to get external metric default/queue/${selector}: nobody knows`,
      "failed to get queue external metric value: failed to get queue external metric: ",
    ],
  ])("%s", (_title, metric, reason, message, about) => {
    const { conditions, events, currentMetrics, rescale, isUndecided } = planned({
      metrics: [metric],
      measured: [failed],
    });
    expect(isUndecided).toBe(true);
    expect(rescale).toBeUndefined();
    expect(conditions).toEqual([
      {
        type: "ScalingActive",
        status: "False",
        reason,
        message: `the HPA was unable to compute the replica count: ${message}`,
      },
    ]);
    const all = `invalid metrics (1 invalid out of 1), first error is: ${about}${message}`;
    expect(events).toEqual([
      { type: "Warning", reason, message },
      { type: "Warning", reason: "FailedComputeMetricsReplicas", message: all },
    ]);
    expect(currentMetrics).toEqual([{ type: "" }]);
  });
});

describe("of several metrics", () => {
  it("the one that wants most decides", () => {
    const plan = planned({
      metrics: [cpuUtilization(50), external(value("100"))],
      measured: [cpu(700), { values: [200_000n] }],
    });
    expect(plan.rescale).toEqual({ replicas: 4, reason: `external metric queue(${selector}) above target` });
  });

  it("growth needs one that can be read", () => {
    const plan = planned({
      metrics: [external(value("1")), cpuUtilization(50)],
      measured: [failed, cpu(1000)],
    });
    expect(plan).toMatchObject({
      rescale: { replicas: 4 },
      failure: expect.stringContaining("(1 invalid out of 2)") as string,
    });
    expect(plan.isUndecided).toBeUndefined();
    expect(plan.conditions[0]).toMatchObject({ type: "ScalingActive", status: "True" });
  });

  it("shrinking needs all", () => {
    const plan = planned({
      metrics: [external(value("1")), cpuUtilization(50)],
      measured: [failed, cpu(10)],
    });
    expect(plan.rescale).toBeUndefined();
    expect(plan.isUndecided).toBe(true);
  });
});

describe("tolerance", () => {
  const behavior = {
    scaleUp: {
      selectPolicy: "Max",
      policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
      tolerance: "0.5",
    },
  };

  it.each<readonly [string, number, number | undefined]>([
    ["is the autoscaler's own upwards", 700, undefined],
    ["and no more than that", 760, 4],
  ])("%s", (_title, amount, replicas) => {
    const plan = planned({ metrics: [cpuUtilization(50)], measured: [cpu(amount)], spec: { behavior } });
    expect(plan.rescale?.replicas).toBe(replicas);
  });
});
