import { ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get resourcequotas`. */
export const resourceQuotaPrinter = printerOf(
  ResourceQuota,
  [
    nameColumn,
    column("Request", "What is used and allowed of what is counted or asked for."),
    column("Limit", "What is used and allowed of what containers are held to."),
    ageColumn,
  ],
  ({ metadata, status }, now) => {
    const { hard = {}, used = {} } = status ?? {};
    const names = Object.keys(hard).toSorted();
    const textOf = (chosen: readonly string[]): string =>
      chosen.map((name) => `${name}: ${used[name] ?? "0"}/${hard[name] ?? "0"}`).join(", ");
    return [
      metadata?.name,
      textOf(names.filter((name) => !name.startsWith("limits."))),
      textOf(names.filter((name) => name.startsWith("limits."))),
      age(metadata?.creationTimestamp, now),
    ];
  },
);
