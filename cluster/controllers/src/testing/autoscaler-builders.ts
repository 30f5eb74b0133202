import type { HorizontalPodAutoscaler, MetricSpec } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { PodAmount } from "../horizontal-pod-autoscaler/plan/amounts.ts";
import { ago, now, pod, stored } from "./builders.ts";

/** An autoscaler of the deployment `web`, from 1 to 10. */
export function autoscaler(
  metrics: MetricSpec[],
  spec: Partial<HorizontalPodAutoscaler["spec"]> = {},
): HorizontalPodAutoscaler {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: stored("web"),
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics, ...spec },
  };
}

/** The use of the processor, in percent of what is asked for. */
export function cpuUtilization(averageUtilization: number): MetricSpec {
  return {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
  };
}

/** How a pod works. */
export interface WorkerSetup {
  readonly cpu?: string;
  readonly phase?: string;
  /** For how many seconds it has been ready, or (negative) has not. Default: an hour. */
  readonly readyFor?: number;
  /** For how many seconds it has been there. Default: an hour. */
  readonly age?: number;
  readonly terminating?: boolean;
}

/** A pod that asks for some of the processor. */
export function worker(name: string, setup: WorkerSetup = {}): Pod {
  const { cpu = "1", phase = "Running", readyFor = 3600, age = 3600, terminating = false } = setup;
  const base = pod(name, { phase, terminating, age });
  const status = readyFor >= 0 ? "True" : "False";
  const condition = { type: "Ready", status, lastTransitionTime: ago(Math.abs(readyFor)) };
  return {
    ...base,
    spec: { ...base.spec, containers: [{ name: "main", resources: { requests: { cpu } } }] },
    status: { ...base.status, phase, startTime: ago(age), conditions: [condition] },
  };
}

/** What pods use, in thousandths, measured just now over half a minute. */
export function used(amounts: Readonly<Record<string, number>>): ReadonlyMap<string, PodAmount> {
  return new Map(
    Object.entries(amounts).map(([name, value]) => [
      name,
      { value: BigInt(value), time: now, window: 30_000 },
    ]),
  );
}
