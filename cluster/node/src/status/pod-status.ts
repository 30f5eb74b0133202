import { formatTime } from "@kedge/machinery";
import type { PodStatus } from "@kedge/machinery/kinds/core/v1";
import { containersOf, ephemeralContainersOf, initContainersOf } from "../model/spec-of.ts";
import type { OldPodStatus } from "../model/types.ts";
import { conditionsOf } from "./conditions.ts";
import { containerStatuses, type StatusInput } from "./container-statuses.ts";
import { isFinal, phaseOf, type Phase } from "./phase.ts";

/** What overrides the phase that follows from the containers. */
export interface Verdict {
  readonly phase: "Failed";
  readonly reason: string;
  readonly message: string;
  /** The node does not take it: none of its containers has a status. */
  readonly isRejection?: boolean;
  /** The node throws it out, which whoever counts failures may want to know. */
  readonly isDisruption?: boolean;
}

/** The status that the node reports of a pod, in the words of the kubelet. */
export function podStatusOf(input: StatusInput, verdict?: Verdict): PodStatus {
  const { pod, now } = input;
  const old = input.old ?? pod.status;
  const init = containerStatuses(input, initContainersOf(pod), old?.initContainerStatuses);
  const main = containerStatuses(input, containersOf(pod), old?.containerStatuses);
  const phase = finalPhase(old?.phase) ?? verdict?.phase ?? phaseOf(pod, { init, main }, input.ended);
  const podAddress = input.podAddress ?? old?.podIP;
  const keepsReason = old?.phase === phase;
  const reason = keepsReason && old.reason !== undefined ? old.reason : verdict?.reason;
  const message = keepsReason && old.message !== undefined ? old.message : verdict?.message;
  return {
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    phase,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    conditions: conditionsOf({
      pod,
      old,
      now,
      phase,
      statuses: [...init, ...main],
      hasNetwork: input.podAddress !== undefined,
      disruption: verdict?.isDisruption === true ? verdict.message : undefined,
      resize: input.resize,
    }),
    hostIP: input.hostAddress,
    hostIPs: [{ ip: input.hostAddress }],
    ...(podAddress !== undefined && { podIP: podAddress, podIPs: [{ ip: podAddress }] }),
    startTime: old?.startTime ?? formatTime(now),
    ...(init.length > 0 && verdict?.isRejection !== true && { initContainerStatuses: init }),
    ...ephemeralStatuses(input, old),
    ...(verdict?.isRejection !== true && {
      containerStatuses: main.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    }),
    ...(old?.qosClass !== undefined && { qosClass: old.qosClass }),
  };
}

/** They are never ready, and nobody waits for them. */
function ephemeralStatuses(
  input: StatusInput,
  old: OldPodStatus | undefined,
): Pick<PodStatus, "ephemeralContainerStatuses"> {
  const containers = ephemeralContainersOf(input.pod);
  if (containers.length === 0) return {};
  const statuses = containerStatuses(input, containers, old?.ephemeralContainerStatuses);
  return {
    ephemeralContainerStatuses: statuses.map((status) => ({ ...status, ready: false, started: false })),
  };
}

/** A pod never leaves its last phase. */
function finalPhase(phase: string | undefined): Phase | undefined {
  return isFinal(phase) ? phase : undefined;
}
