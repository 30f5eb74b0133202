import { formatTime } from "@kedge/machinery";
import type { ApiPod } from "../model/types.ts";
import { instanceOf, podUidOf } from "../pod/labels.ts";
import type { NodeUsage, Usage } from "./usage-sampler.ts";

/** What the kubelet's `/stats/summary` says, as far as we know it. */
export interface StatsSummary {
  readonly node: { readonly nodeName: string } & Partial<Stats>;
  readonly pods: readonly PodStats[];
}

/** What a pod uses. */
export interface PodStats extends Partial<Stats> {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: string;
  readonly containers: readonly ({ readonly name: string; readonly startTime: string } & Stats)[];
}

interface Stats {
  readonly cpu: {
    readonly time: string;
    readonly usageNanoCores: number;
    readonly usageCoreNanoSeconds: number;
    /** Ours: over how many milliseconds the rate was measured. */
    readonly windowMilliseconds: number;
  };
  readonly memory: { readonly time: string; readonly workingSetBytes: number };
}

/** A container of a pod, and what it uses. */
export interface NamedUsage {
  readonly name: string;
  readonly startedAt: number;
  readonly usage: Usage;
}

/** What each pod's containers use; pods of which nothing is known yet are left out. */
export function usageByPod(
  pods: readonly ApiPod[],
  { containers }: NodeUsage,
): readonly { readonly pod: ApiPod; readonly containers: readonly NamedUsage[] }[] {
  const byUid = Map.groupBy(containers, ({ container }) => podUidOf(container));
  return pods.flatMap((pod) => {
    const found = (byUid.get(pod.metadata.uid) ?? []).map(({ container, usage }) => ({
      name: instanceOf(container, undefined).name,
      startedAt: container.startedAt ?? 0,
      usage,
    }));
    return found.length === 0 ? [] : [{ pod, containers: found }];
  });
}

/** The answer of `/stats/summary`. */
export function statsSummary(nodeName: string, pods: readonly ApiPod[], usage: NodeUsage): StatsSummary {
  return {
    node: { nodeName, ...(usage.node !== undefined && statsOf(usage.node)) },
    pods: usageByPod(pods, usage).map(({ pod, containers }) => ({
      podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
      startTime: pod.status?.startTime ?? "",
      ...statsOf(sum(containers.map((one) => one.usage))),
      containers: containers.map(({ name, startedAt, usage: own }) => ({
        name,
        startTime: formatTime(startedAt),
        ...statsOf(own),
      })),
    })),
  };
}

function statsOf(usage: Usage): Stats {
  const time = formatTime(usage.time);
  return {
    cpu: {
      time,
      usageNanoCores: usage.cpuNanocores,
      usageCoreNanoSeconds: usage.cpuNanoseconds,
      windowMilliseconds: Math.round(usage.windowMs),
    },
    memory: { time, workingSetBytes: usage.workingSetBytes },
  };
}

/** All of them together, at the time of the latest. */
export function sum(usages: readonly Usage[]): Usage {
  const total = (of: (usage: Usage) => number): number => usages.reduce((all, one) => all + of(one), 0);
  return {
    time: Math.max(0, ...usages.map(({ time }) => time)),
    windowMs: Math.max(0, ...usages.map(({ windowMs }) => windowMs)),
    cpuNanocores: total(({ cpuNanocores }) => cpuNanocores),
    cpuNanoseconds: total(({ cpuNanoseconds }) => cpuNanoseconds),
    workingSetBytes: total(({ workingSetBytes }) => workingSetBytes),
  };
}
