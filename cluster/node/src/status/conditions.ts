import { formatTime } from "@kedge/machinery";
import type { ContainerStatus, PodCondition } from "@kedge/machinery/kinds/core/v1";
import { containersOf, initContainersOf, isSidecar } from "../model/spec-of.ts";
import type { ApiPod, OldPodStatus, ResizeState } from "../model/types.ts";
import type { Phase } from "./phase.ts";

/** What a pod's conditions are made of. */
export interface ConditionInput {
  readonly pod: ApiPod;
  readonly old: OldPodStatus | undefined;
  readonly now: number;
  readonly phase: Phase;
  readonly statuses: readonly ContainerStatus[];
  /** It has its network. */
  readonly hasNetwork: boolean;
  /** Why the node throws it out; undefined: it does not. */
  readonly disruption: string | undefined;
  /** Containers are to have other resources than they run with. */
  readonly resize: ResizeState | undefined;
}

/** The pod's conditions: those of others as they are, ours by the rules of the kubelet. */
export function conditionsOf(input: ConditionInput): PodCondition[] {
  const others = input.old?.conditions ?? input.pod.status?.conditions ?? [];
  const ready = containersReady(input);
  const ours = new Map<string, Verdict>([
    ["PodReadyToStartContainers", { status: input.hasNetwork ? "True" : "False" }],
    ["Initialized", initialized(input)],
    ["Ready", ready.status === "True" ? readinessGates(input) : ready],
    ["ContainersReady", ready],
    ["PodScheduled", { status: "True" }],
    ...disruption(input),
    ...resizing(input),
  ]);
  const kept = others
    .filter(({ type }) => (type !== pending && type !== inProgress) || ours.has(type))
    .map((old) => {
      const verdict = ours.get(old.type);
      ours.delete(old.type);
      return verdict === undefined ? { ...old } : conditionOf(old.type, verdict, input);
    });
  return [...kept, ...[...ours].map(([type, verdict]) => conditionOf(type, verdict, input))];
}

const pending = "PodResizePending";
const inProgress = "PodResizeInProgress";

function disruption({ disruption: message }: ConditionInput): [string, Verdict][] {
  if (message === undefined) return [];
  return [["DisruptionTarget", { status: "True", reason: "TerminationByKubelet", message }]];
}

function resizing({ resize, phase }: ConditionInput): [string, Verdict][] {
  if (resize === undefined || phase === "Failed" || phase === "Succeeded") return [];
  if (resize.type === "pending") {
    const { reason, message } = resize;
    return [[pending, { status: "True", reason, message }]];
  }
  const { error } = resize;
  return [[inProgress, { status: "True", ...(error !== undefined && { reason: "Error", message: error }) }]];
}

interface Verdict {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

function conditionOf(type: string, verdict: Verdict, { old, pod, now }: ConditionInput): PodCondition {
  const before = (old ?? pod.status)?.conditions?.find((condition) => condition.type === type);
  const { generation } = pod.metadata;
  return {
    type,
    ...(generation !== undefined && { observedGeneration: generation }),
    status: verdict.status,
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(verdict.message !== undefined && { message: verdict.message }),
    ...(before?.lastProbeTime !== undefined && { lastProbeTime: before.lastProbeTime }),
    lastTransitionTime:
      before?.status === verdict.status && before.lastTransitionTime !== undefined
        ? before.lastTransitionTime
        : formatTime(now),
  };
}

function containersReady({ pod, phase, statuses }: ConditionInput): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const names = [...initContainersOf(pod).filter(isSidecar), ...containersOf(pod)].map(({ name }) => name);
  const unready = names.filter((name) => statuses.find((status) => status.name === name)?.ready !== true);
  if (unready.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: [${unready.join(" ")}]`,
  };
}

/** The conditions that the pod's author wants others to set before it counts as ready. */
function readinessGates({ pod, old }: ConditionInput): Verdict {
  const conditions = (old ?? pod.status)?.conditions ?? [];
  const messages = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = conditions.find(({ type }) => type === conditionType);
    if (found?.status === "True") return [];
    return found === undefined
      ? [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (messages.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

function initialized({ pod, phase, statuses }: ConditionInput): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const statusOf = (name: string): ContainerStatus | undefined =>
    statuses.find((status) => status.name === name);
  if (containersOf(pod).some(({ name }) => statusOf(name)?.started === true)) return { status: "True" };
  const incomplete = initContainersOf(pod)
    .filter((container) => {
      const status = statusOf(container.name);
      return isSidecar(container) ? status?.started !== true : status?.ready !== true;
    })
    .map(({ name }) => name);
  if (incomplete.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${incomplete.join(" ")}]`,
  };
}
