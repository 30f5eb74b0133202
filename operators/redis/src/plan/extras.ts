import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { applyChild, deleteChild, type ApplyChild, type ChildAction } from "@kedge/runtime";
import type { ExtraChild } from "../extras.ts";
import type { Observed } from "../observe.ts";
import { disruptionBudgetOf } from "../specs/disruption-budget.ts";

/** Makes the extra children that are wanted, and deletes those that are not wanted any more. */
export function planExtras(
  observed: Observed,
  { replicas }: { readonly replicas: number },
): readonly ChildAction[] {
  const { metadata } = observed.instance;
  const wanted: readonly ApplyChild[] =
    replicas > 1 ? [applyChild(PodDisruptionBudget, disruptionBudgetOf(metadata))] : [];
  const isWanted = (child: ExtraChild): boolean =>
    wanted.some(
      ({ kind, object }) => kind.kind === child.kind.kind && object.metadata.name === child.metadata.name,
    );
  const over = observed.extras.filter((child) => !isWanted(child));
  return [...wanted, ...over.map(({ kind, metadata: child }) => deleteChild(kind, child))];
}
