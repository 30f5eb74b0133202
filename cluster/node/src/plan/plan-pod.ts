import type { ObservedPod, PodPlan } from "../model/types.ts";
import { planEnding } from "./plan-ending.ts";
import { planRunning } from "./plan-running.ts";

/** What is to be done about a pod, from what is seen of it. Pure: the same view gives the same plan. */
export function planPod(observed: ObservedPod): PodPlan {
  return observed.ending === undefined ? planRunning(observed) : planEnding(observed, observed.ending);
}
