import type { Kind } from "@kedge/machinery";
import type { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { ReplicationController } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, containerColumns, nameColumn, selectorColumn } from "../../tables/columns.ts";
import { printerOf, type Printer } from "../../tables/printer.ts";
import { containerCells } from "../../tables/text-cells.ts";

/** The table of a kind that keeps a number of equal pods; only their selectors differ. */
export function replicasPrinter<T extends ReplicaSet | ReplicationController>(
  kind: Kind<T>,
  selectorText: (object: Decoded<T>) => string,
): Printer {
  return printerOf(
    kind,
    [
      nameColumn,
      column("Desired", "How many pods are wanted.", { type: "integer" }),
      column("Current", "How many pods there are.", { type: "integer" }),
      column("Ready", "How many pods are ready.", { type: "integer" }),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    (object, now) => {
      const { metadata, spec, status }: Decoded<ReplicaSet | ReplicationController> = object;
      return [
        metadata?.name,
        spec?.replicas ?? 0,
        status?.replicas ?? 0,
        status?.readyReplicas ?? 0,
        age(metadata?.creationTimestamp, now),
        ...containerCells(spec?.template?.spec?.containers),
        selectorText(object),
      ];
    },
  );
}
