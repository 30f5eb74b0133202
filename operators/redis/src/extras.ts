import type { DeepReadonly, Kind } from "@kedge/machinery";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import {
  byController,
  optional,
  owns,
  type ChildToDelete,
  type Owns,
  type ReconcileContext,
} from "@kedge/runtime";
import type { RedisInstance } from "./kind.ts";
import { instanceLabel } from "./names.ts";

/** A child that is there only when the spec asks for it. */
export interface ExtraChild {
  readonly kind: Kind<unknown>;
  readonly metadata: ChildToDelete;
}

/** What there is of extra children. */
export interface Extras {
  readonly children: readonly ExtraChild[];
  /** Kinds that this cluster does not know. */
  readonly unserved: readonly string[];
}

const ours = { labelSelector: instanceLabel };

/** The kinds of extra children, as a controller owns them. */
export const ownedExtras: readonly Owns[] = [
  owns(PodDisruptionBudget, ours),
  optional(owns(NetworkPolicy, ours)),
];

/** The extra children that there are. */
export function extrasOf(
  { read }: Pick<ReconcileContext<RedisInstance>, "read">,
  { metadata }: DeepReadonly<RedisInstance>,
): Extras {
  const readers = [
    { kind: PodDisruptionBudget, reader: read(PodDisruptionBudget) },
    { kind: NetworkPolicy, reader: read(NetworkPolicy) },
  ];
  return {
    children: readers.flatMap(({ kind, reader }) =>
      reader.byIndex(byController, metadata.uid).map((child) => ({ kind, metadata: child.metadata })),
    ),
    unserved: readers.filter(({ reader }) => !reader.isServed).map(({ kind }) => kind.kind),
  };
}
