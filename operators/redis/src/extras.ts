import type { DeepReadonly, Kind } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
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
import { PrometheusRule, ServiceMonitor } from "./monitoring-kinds.ts";
import { instanceLabel, partLabel } from "./names.ts";

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
  optional(owns(ServiceMonitor, ours)),
  optional(owns(PrometheusRule, ours)),
];

/** The extra children that there are. */
export function extrasOf(
  { read }: Pick<ReconcileContext<RedisInstance>, "read">,
  { metadata }: DeepReadonly<RedisInstance>,
): Extras {
  const readers = [
    { kind: PodDisruptionBudget, reader: read(PodDisruptionBudget) },
    { kind: NetworkPolicy, reader: read(NetworkPolicy) },
    { kind: ServiceMonitor, reader: read(ServiceMonitor) },
    { kind: PrometheusRule, reader: read(PrometheusRule) },
  ];
  // Of kinds that have others of ours, by their label.
  const parts = [
    { kind: Service, children: read(Service).byIndex(byController, metadata.uid) },
    { kind: ConfigMap, children: read(ConfigMap).byIndex(byController, metadata.uid) },
    { kind: StatefulSet, children: read(StatefulSet).byIndex(byController, metadata.uid) },
  ];
  return {
    children: [
      ...readers.flatMap(({ kind, reader }) =>
        reader.byIndex(byController, metadata.uid).map((child) => ({ kind, metadata: child.metadata })),
      ),
      ...parts.flatMap(({ kind, children }) =>
        children
          .filter((child) => child.metadata.labels?.[partLabel] !== undefined)
          .map((child) => ({ kind, metadata: child.metadata })),
      ),
    ],
    unserved: readers.filter(({ reader }) => !reader.isServed).map(({ kind }) => kind.kind),
  };
}
