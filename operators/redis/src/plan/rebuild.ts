import { isJsonObject, type DeepReadonly } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { ApplyObject } from "@kedge/client";
import { applyChild, deleteChild, type ChildAction } from "@kedge/runtime";

/**
 * Makes the StatefulSet what it should be. Where Kubernetes does not let a field be changed it is made again, and its
 * pods and claims stay as they are: it is deleted without them, and the next one of its name takes them over by their
 * labels. One that is on its way out, by us or by others, is waited for.
 */
export function planStatefulSet(
  wanted: DeepReadonly<ApplyObject<StatefulSet>>,
  present: DeepReadonly<StatefulSet> | undefined,
): readonly ChildAction[] {
  if (present?.metadata.deletionTimestamp !== undefined) return [];
  if (present === undefined || canBecome(wanted, present)) return [applyChild(StatefulSet, wanted)];
  return [deleteChild(StatefulSet, present.metadata, { propagation: "Orphan" })];
}

/** Fields of ours that a StatefulSet keeps for good. */
const fixed = ["serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"] as const;

function canBecome(
  { spec: wanted }: DeepReadonly<ApplyObject<StatefulSet>>,
  { spec: present }: DeepReadonly<StatefulSet>,
): boolean {
  return fixed.every((field) => isWithin(wanted?.[field], present[field]));
}

/** Whether all that is wanted is so; what a server has filled in beside it does not matter. */
function isWithin(wanted: unknown, present: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(present) &&
      present.length === wanted.length &&
      wanted.every((entry, index) => isWithin(entry, present[index]))
    );
  }
  if (!isJsonObject(wanted)) return wanted === present;
  return (
    isJsonObject(present) && Object.entries(wanted).every(([key, value]) => isWithin(value, present[key]))
  );
}
