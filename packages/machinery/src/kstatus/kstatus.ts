import type { Clock } from "../time/clock.ts";
import { conditionsOf, intAt, stringAt } from "./kstatus-fields.ts";
import { current, failed, inProgress, type Kstatus } from "./kstatus-result.ts";
import { ruleOf } from "./kstatus-rules.ts";

/**
 * Computes how far along an object is, as kustomize's and flux's common library (kstatus) does: by its deletion, its
 * observed generation, its conditions Reconciling and Stalled, then by the rules of its kind, then by its condition
 * Ready. An object that says nothing of itself is current. `undefined` stands for one that does not exist.
 */
export function kstatusOf(object: object | undefined, clock: Pick<Clock, "now">): Kstatus {
  if (object === undefined) return { status: "NotFound", reason: "", message: "Resource not found" };
  const common = byCommonFields(object);
  if (common !== undefined) return common;
  const rule = ruleOf(object);
  if (rule !== undefined) return rule(object, clock);
  return byReadyCondition(object) ?? current("Resource is current");
}

function byCommonFields(object: object): Kstatus | undefined {
  if ((stringAt(object, "metadata.deletionTimestamp") ?? "") !== "") {
    return { status: "Terminating", reason: "", message: "Resource scheduled for deletion" };
  }
  return byGeneration(object) ?? byStandardConditions(object);
}

function byGeneration(object: object): Kstatus | undefined {
  const generation = intAt(object, "metadata.generation");
  const observed = intAt(object, "status.observedGeneration");
  if (generation === undefined || observed === undefined || observed === generation) return undefined;
  const kind = stringAt(object, "kind") ?? "";
  return inProgress(
    "LatestGenerationNotObserved",
    `${kind} generation is ${generation}, but latest observed generation is ${observed}`,
  );
}

function byStandardConditions(object: object): Kstatus | undefined {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === "Reconciling" && status === "True") return inProgress(reason, message);
    if (type === "Stalled" && status === "True") return failed(reason, message);
  }
  return undefined;
}

function byReadyCondition(object: object): Kstatus | undefined {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type !== "Ready") continue;
    if (status === "True") return current("Resource is Ready");
    if (status === "False" || status === "Unknown") return inProgress(reason, message);
  }
  return undefined;
}
