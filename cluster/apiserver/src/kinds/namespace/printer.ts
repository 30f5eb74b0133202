import { Namespace } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get namespaces`. */
export const namespacePrinter = printerOf(
  Namespace,
  [nameColumn, column("Status", "Whether the namespace is in use or on its way out."), ageColumn],
  ({ metadata, status }, now) => [metadata?.name, status?.phase ?? "", age(metadata?.creationTimestamp, now)],
);
