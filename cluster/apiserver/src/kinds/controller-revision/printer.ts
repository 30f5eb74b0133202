import { parseApiVersion } from "@kedge/machinery";
import { ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { referenceCell } from "../../tables/text-cells.ts";

/** `kubectl get controllerrevisions`. */
export const controllerRevisionPrinter = printerOf(
  ControllerRevision,
  [
    nameColumn,
    column("Controller", "Whose state this is."),
    column("Revision", "Which state of it this is."),
    ageColumn,
  ],
  ({ metadata, revision }, now) => {
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
    return [
      metadata?.name,
      owner === undefined
        ? "<none>"
        : referenceCell(
            { group: parseApiVersion(owner.apiVersion ?? "v1").group, kind: owner.kind ?? "" },
            owner.name ?? "",
          ),
      revision ?? 0,
      age(metadata?.creationTimestamp, now),
    ];
  },
);
