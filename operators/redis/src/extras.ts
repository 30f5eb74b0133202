import type { DeepReadonly, Kind } from "@kedge/machinery";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { byController, owns, type ChildToDelete, type Owns, type ReconcileContext } from "@kedge/runtime";
import type { RedisInstance } from "./kind.ts";
import { instanceLabel } from "./names.ts";

/** A child that is there only when the spec asks for it. */
export interface ExtraChild {
  readonly kind: Kind<unknown>;
  readonly metadata: ChildToDelete;
}

const ours = { labelSelector: instanceLabel };

/** The kinds of extra children, as a controller owns them. */
export const ownedExtras: readonly Owns[] = [owns(PodDisruptionBudget, ours)];

/** The extra children that there are. */
export function extrasOf(
  { read }: Pick<ReconcileContext<RedisInstance>, "read">,
  { metadata }: DeepReadonly<RedisInstance>,
): readonly ExtraChild[] {
  return read(PodDisruptionBudget)
    .byIndex(byController, metadata.uid)
    .map((child) => ({ kind: PodDisruptionBudget, metadata: child.metadata }));
}
