import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get leases`. */
export const leasePrinter = printerOf(
  Lease,
  [nameColumn, column("Holder", "Who holds the lease."), ageColumn],
  ({ metadata, spec }, now) => [
    metadata?.name,
    spec?.holderIdentity ?? "",
    age(metadata?.creationTimestamp, now),
  ],
);
