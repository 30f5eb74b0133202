import type { ApplyObject } from "@kedge/client";
import type { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { labelsOf, namesOf } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

/** Lets whoever drains nodes take one pod at a time. A single one could otherwise never be moved: it has none. */
export function disruptionBudgetOf({ namespace, name }: InstanceKey): ApplyObject<PodDisruptionBudget> {
  return {
    metadata: { namespace, name: namesOf(name).statefulSet, labels: labelsOf(name) },
    spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } },
  };
}
