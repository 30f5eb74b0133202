import { isControlledBy } from "@kedge/machinery";
import { dataVolume } from "../names.ts";
import type { Observed } from "../observe.ts";
import type { Action, InstancePlan } from "./plan.ts";

/**
 * What is owned goes by itself when the instance has gone. Claims are nobody's: they are kept, or, when the user chose
 * so, deleted, after the pods that could still write to them.
 */
export function planDeletion({ instance, statefulSet, claims }: Observed): InstancePlan {
  if (instance.spec.deletionPolicy === "Retain") return { actions: [], refusals: [], release: true };
  if (statefulSet !== undefined && isControlledBy(statefulSet, instance)) {
    const { name, uid, deletionTimestamp } = statefulSet.metadata;
    const actions: readonly Action[] =
      deletionTimestamp === undefined ? [{ do: "delete-stateful-set", name, uid }] : [];
    return { actions, refusals: [], release: false };
  }
  // The label alone could be on somebody else's claim.
  const prefix = `${dataVolume}-${instance.metadata.name}-`;
  return {
    actions: claims
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined && metadata.name.startsWith(prefix))
      .map(({ metadata: { name, uid } }) => ({ do: "delete-claim", name, uid })),
    refusals: [],
    release: true,
  };
}
