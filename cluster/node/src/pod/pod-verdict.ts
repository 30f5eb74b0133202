import { formatTime, parseTime } from "@kedge/machinery";
import { appArmorRefusal } from "../containers/app-armor.ts";
import type { ApiPod } from "../model/types.ts";
import { isFinal } from "../status/phase.ts";
import type { Verdict } from "../status/pod-status.ts";
import type { PodContext } from "./context.ts";

/** Why a pod fails that has too much, or whose node has too little. */
export const evicted = "Evicted";

/** What a node knows against a pod. */
export interface Charges {
  readonly now: number;
  readonly appArmor: PodContext["appArmor"];
  /** Why the node does not take it. */
  readonly rejection: string | undefined;
  /** What there is too much or too little of. */
  readonly exceeded: string | undefined;
}

/** Whether a pod must fail, whatever its containers do, and why. */
export function verdictOf(pod: ApiPod, { now, appArmor, rejection, exceeded }: Charges): Verdict | undefined {
  const refusal = appArmorRefusal(pod, appArmor);
  if (refusal !== undefined)
    return { phase: "Failed", reason: "AppArmor", message: refusal, isRejection: true };
  if (rejection !== undefined) {
    const message = `Pod was rejected: ${rejection}`;
    return { phase: "Failed", reason: evicted, message, isRejection: true };
  }
  if (exceeded !== undefined)
    return { phase: "Failed", reason: evicted, message: exceeded, isDisruption: true };
  const deadline = deadlineOf(pod);
  if (deadline === undefined || now < deadline) return undefined;
  return {
    phase: "Failed",
    reason: "DeadlineExceeded",
    message: `Pod was active on the node longer than the specified deadline (${formatTime(deadline)})`,
  };
}

/** When a pod's `activeDeadlineSeconds` are over, in milliseconds since 1970. */
export function deadlineOf({ spec, status }: ApiPod): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || status?.startTime === undefined) return undefined;
  return isFinal(status.phase) ? undefined : parseTime(status.startTime) + spec.activeDeadlineSeconds * 1000;
}
