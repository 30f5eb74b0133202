import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get poddisruptionbudgets`. */
export const podDisruptionBudgetPrinter = printerOf(
  PodDisruptionBudget,
  [
    nameColumn,
    column("Min Available", "How many pods must stay."),
    column("Max Unavailable", "How many pods may be missing."),
    column("Allowed Disruptions", "How many pods may be evicted now.", { type: "integer" }),
    ageColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    String(spec?.minAvailable ?? "N/A"),
    String(spec?.maxUnavailable ?? "N/A"),
    status?.disruptionsAllowed ?? 0,
    age(metadata?.creationTimestamp, now),
  ],
);
