import { findCondition, formatTime, realClock } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { externalMetric, tellExternal, tellUsage } from "../testing/serve-metrics.ts";
import type { Scenario, Stage } from "../testing/workload-stages.ts";
import { until } from "../wait.ts";

type Spec = Partial<HorizontalPodAutoscaler["spec"]>;
type Metric = NonNullable<HorizontalPodAutoscaler["spec"]["metrics"]>[number];
const name = "web";
const longAgo = 3600_000;

/** A Deployment whose pods have been there for long, so that what they use counts. */
async function deploy(
  stage: Stage,
  replicas: number,
  requests: Record<string, string> = { cpu: "100m" },
): Promise<void> {
  const { client, at } = stage;
  const labels = { app: name };
  const containers = [{ name: "main", image: "main:1", resources: { requests } }];
  await client.of(Deployment).create({
    metadata: at(name),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  for (const { metadata } of await stage.untilRunning(replicas)) {
    const status = { startTime: formatTime(realClock.now() - longAgo) };
    await client.of(Pod).status.patch(metadata, { strategic: { status } });
  }
}

async function tellAll(stage: Stage, usage: Readonly<Record<string, string>>): Promise<void> {
  for (const pod of await stage.pods()) await tellUsage(stage.client, pod, usage);
}

async function autoscale({ client, at }: Stage, spec: Spec = {}, called = name): Promise<void> {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  await client.of(HorizontalPodAutoscaler).create({
    metadata: at(called),
    spec: { scaleTargetRef, maxReplicas: 5, metrics: [cpu(50)], ...spec },
  });
}

const cpu = (averageUtilization: number): Metric => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const memory = (averageValue: string): Metric => ({
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue } },
});
const queued = (target: { averageValue: string } | { value: string }): Metric => ({
  type: "External",
  external: {
    metric: { name: externalMetric },
    target: { type: "value" in target ? "Value" : "AverageValue", ...target },
  },
});

async function untilSaid({ client, at }: Stage, type: string, reason: string): Promise<void> {
  await until(`it says ${type} because of ${reason}`, async () => {
    const { status } = await client.of(HorizontalPodAutoscaler).get(at(name));
    return findCondition(status?.conditions, type)?.reason === reason;
  });
}

async function untilScaled({ client, at }: Stage, replicas: number): Promise<void> {
  await until(`there are ${replicas} pods`, async () => {
    const { status } = await client.of(HorizontalPodAutoscaler).get(at(name));
    return status?.currentReplicas === replicas && status.desiredReplicas === replicas;
  });
}

/** Pods that are taken at once: nothing is stabilised. */
const atOnce = { scaleDown: { stabilizationWindowSeconds: 0 } };

/** HorizontalPodAutoscalers: metrics, limits, behaviour, and what they cannot do. */
export const autoscalerScenarios: readonly Scenario[] = [
  [
    "nothing to scale",
    async (stage) => {
      await autoscale(stage);
      await untilSaid(stage, "AbleToScale", "FailedGetScale");
    },
  ],
  [
    "nobody measures its pods",
    async (stage) => {
      await deploy(stage, 1);
      await autoscale(stage);
      await untilSaid(stage, "ScalingActive", "FailedGetResourceMetric");
    },
  ],
  [
    "pods that ask for nothing have no share that they use",
    async (stage) => {
      await deploy(stage, 1, {});
      await tellAll(stage, { cpu: "100m" });
      await autoscale(stage);
      await untilSaid(stage, "ScalingActive", "FailedGetResourceMetric");
    },
  ],
  [
    "twice as much as is wanted",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "100m" });
      await autoscale(stage);
      await untilScaled(stage, 2);
    },
  ],
  [
    "almost as much as is wanted",
    async (stage) => {
      await deploy(stage, 2);
      await tellAll(stage, { cpu: "52m" });
      await autoscale(stage);
      await untilSaid(stage, "ScalingActive", "ValidMetricFound");
    },
  ],
  [
    "a tolerance of its own",
    async (stage) => {
      await deploy(stage, 2);
      await tellAll(stage, { cpu: "54m" });
      await autoscale(stage, { behavior: { scaleUp: { tolerance: "0.02" } } });
      await untilScaled(stage, 3);
    },
  ],
  [
    "more than its limit",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "1" });
      await autoscale(stage, { maxReplicas: 3 });
      await untilSaid(stage, "ScalingLimited", "TooManyReplicas");
      await untilScaled(stage, 3);
    },
  ],
  [
    "fewer than there must be",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "1m" });
      await autoscale(stage, { minReplicas: 2 });
      await untilScaled(stage, 2);
    },
  ],
  [
    "nothing to do, for less than five minutes",
    async (stage) => {
      await deploy(stage, 3);
      await tellAll(stage, { cpu: "1m" });
      await autoscale(stage);
      await untilSaid(stage, "AbleToScale", "ScaleDownStabilized");
    },
  ],
  [
    "nothing to do, and nothing to wait for",
    async (stage) => {
      await deploy(stage, 3);
      await tellAll(stage, { cpu: "1m" });
      await autoscale(stage, { behavior: atOnce });
      await untilScaled(stage, 1);
    },
  ],
  [
    "one pod at a time",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "1" });
      const policies = [{ type: "Pods", value: 1, periodSeconds: 1800 }];
      await autoscale(stage, { behavior: { scaleUp: { policies } } });
      await untilSaid(stage, "ScalingLimited", "ScaleUpLimit");
      await untilScaled(stage, 2);
    },
  ],
  [
    "it may not grow",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "1" });
      await autoscale(stage, { behavior: { scaleUp: { selectPolicy: "Disabled" } } });
      await untilSaid(stage, "ScalingActive", "ValidMetricFound");
    },
  ],
  [
    "somebody has set it to zero",
    async (stage) => {
      await deploy(stage, 0);
      await autoscale(stage);
      await untilSaid(stage, "ScalingActive", "ScalingDisabled");
    },
  ],
  [
    "by memory, in bytes",
    async (stage) => {
      await deploy(stage, 2);
      await tellAll(stage, { cpu: "1m", memory: "300Mi" });
      await autoscale(stage, { metrics: [memory("200Mi")] });
      await untilScaled(stage, 3);
    },
  ],
  [
    "by the metric that wants the most",
    async (stage) => {
      await deploy(stage, 2);
      await tellAll(stage, { cpu: "60m", memory: "400Mi" });
      await autoscale(stage, { metrics: [cpu(50), memory("200Mi")] });
      await untilScaled(stage, 4);
    },
  ],
  [
    "one of two metrics is missing",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "100m" });
      await autoscale(stage, { metrics: [cpu(50), memory("200Mi")] });
      await untilScaled(stage, 2);
    },
  ],
  [
    "by one container",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "150m" });
      const target = { type: "Utilization", averageUtilization: 50 };
      const containerResource = { name: "cpu", container: "main", target };
      await autoscale(stage, { metrics: [{ type: "ContainerResource", containerResource }] });
      await untilScaled(stage, 3);
    },
  ],
  [
    "by what waits outside, for each pod",
    async (stage) => {
      await deploy(stage, 1);
      await tellExternal(stage.client, stage.namespace, "40");
      await autoscale(stage, { metrics: [queued({ averageValue: "10" })] });
      await untilScaled(stage, 4);
    },
  ],
  [
    "by what waits outside, in all",
    async (stage) => {
      await deploy(stage, 2);
      await tellExternal(stage.client, stage.namespace, "15");
      await autoscale(stage, { metrics: [queued({ value: "10" })], maxReplicas: 3 });
      await untilScaled(stage, 3);
    },
  ],
  [
    "by what nobody measures outside, and by what no API tells",
    async (stage) => {
      await deploy(stage, 1);
      const pods = { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "10" } };
      await autoscale(stage, { metrics: [queued({ value: "10" }), { type: "Pods", pods }] });
      await untilSaid(stage, "ScalingActive", "FailedGetExternalMetric");
    },
  ],
  [
    "two for the same pods",
    async (stage) => {
      await deploy(stage, 1);
      await tellAll(stage, { cpu: "50m" });
      await autoscale(stage);
      await autoscale(stage, {}, "another");
      await untilSaid(stage, "ScalingActive", "AmbiguousSelector");
    },
  ],
];
