import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get configmaps`. */
export const configMapPrinter = printerOf(
  ConfigMap,
  [nameColumn, column("Data", "How many entries it has."), ageColumn],
  ({ metadata, data, binaryData }, now) => [
    metadata?.name,
    Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    age(metadata?.creationTimestamp, now),
  ],
);
