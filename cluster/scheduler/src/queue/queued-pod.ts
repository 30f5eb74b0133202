import type { FilterName } from "../filters/types.ts";
import type { PodInfo } from "../view/pod-info.ts";

/** A pod that waits for a node. */
export interface QueuedPod {
  readonly uid: string;
  info: PodInfo;
  /** In which order pods of one priority came, or were tried last. */
  order: number;
  /** Of `Clock.monotonic()`: when it came, or was tried last. */
  since: number;
  /** How often it was refused, and how often in a row something went wrong. */
  refusals: number;
  errors: number;
  /** The filters that refused it: what they wait for brings it back. */
  rejectors: ReadonlySet<FilterName>;
  /** Others are being made to leave for it: until they were told, it is not tried again. */
  isHeld: boolean;
  /** It was woken while it was held. */
  wasWoken: boolean;
}

/** The first pause after a failure, doubled with each more, and the longest, in milliseconds. */
const firstBackoff = 1000;
const longestBackoff = 10_000;

/** When a pod may be tried again, by `Clock.monotonic()`. */
export function backoffEnd({ since, refusals, errors }: QueuedPod): number {
  const failures = errors > 0 ? errors : refusals;
  return failures === 0 ? since : since + Math.min(firstBackoff * 2 ** (failures - 1), longestBackoff);
}

/** Whether a pod must not be looked at before someone has opened its gates. */
export function isGated({ pod }: PodInfo): boolean {
  return (pod.spec.schedulingGates ?? []).length > 0;
}
