import { findCondition, type DeepReadonly } from "@kedge/machinery";
import type { ContainerStatus, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";

/** Why pods are not ready, in the words of whoever holds them up; undefined when nobody has said. */
export function explainPods(
  pods: readonly DeepReadonly<Pod>[],
  claims: readonly DeepReadonly<PersistentVolumeClaim>[],
): string | undefined {
  for (const pod of pods) {
    const why = explainPod(pod);
    if (why !== undefined) return `pod ${pod.metadata.name} ${why}`;
  }
  const waiting = claims.find(({ status }) => status?.phase === "Pending");
  return waiting === undefined ? undefined : `claim ${waiting.metadata.name} has no volume yet`;
}

function explainPod({ status, metadata }: DeepReadonly<Pod>): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return "is being stopped";
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  if (scheduled?.status === "False") return `is on no node: ${scheduled.message ?? scheduled.reason ?? ""}`;
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const why = explainContainer(container);
    if (why !== undefined) return `has a container ${container.name} that ${why}`;
  }
  return undefined;
}

/** Ordinary steps of a start are no reason to be told. */
const ordinary = new Set(["PodInitializing", "ContainerCreating"]);

function explainContainer({ state, lastState }: DeepReadonly<ContainerStatus>): string | undefined {
  const { waiting } = state ?? {};
  if (waiting?.reason !== undefined && !ordinary.has(waiting.reason)) {
    return `waits: ${waiting.reason}${waiting.message === undefined ? "" : `: ${waiting.message}`}`;
  }
  const ended = state?.terminated ?? (state?.running === undefined ? lastState?.terminated : undefined);
  return ended === undefined || ended.exitCode === 0
    ? undefined
    : `ended with exit code ${ended.exitCode}${ended.reason === undefined ? "" : ` (${ended.reason})`}`;
}
