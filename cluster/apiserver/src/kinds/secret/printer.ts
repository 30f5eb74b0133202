import { Secret } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get secrets`: how many entries there are, never what is in them. */
export const secretPrinter = printerOf(
  Secret,
  [
    nameColumn,
    column("Type", "What the secret is for."),
    column("Data", "How many entries it has."),
    ageColumn,
  ],
  ({ metadata, type, data }, now) => [
    metadata?.name,
    type ?? "",
    Object.keys(data ?? {}).length,
    age(metadata?.creationTimestamp, now),
  ],
);
