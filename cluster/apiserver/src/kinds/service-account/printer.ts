import { ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get serviceaccounts`. */
export const serviceAccountPrinter = printerOf(
  ServiceAccount,
  [nameColumn, ageColumn],
  ({ metadata }, now) => [metadata?.name, age(metadata?.creationTimestamp, now)],
);
