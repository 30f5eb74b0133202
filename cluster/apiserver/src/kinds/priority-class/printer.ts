import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get priorityclasses`. */
export const priorityClassPrinter = printerOf(
  PriorityClass,
  [
    nameColumn,
    column("Value", "How important pods of this class are.", { type: "integer" }),
    column("Global-Default", "Whether it is for pods that name no class.", { type: "boolean" }),
    ageColumn,
    column("PreemptionPolicy", "Whether its pods may push others out."),
  ],
  ({ metadata, value, globalDefault, preemptionPolicy }, now) => [
    metadata?.name,
    value ?? 0,
    globalDefault ?? false,
    age(metadata?.creationTimestamp, now),
    preemptionPolicy ?? "",
  ],
);
