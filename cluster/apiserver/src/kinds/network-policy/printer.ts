import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { selectorCell } from "../../tables/text-cells.ts";

/** `kubectl get networkpolicies`. */
export const networkPolicyPrinter = printerOf(
  NetworkPolicy,
  [nameColumn, column("Pod-Selector", "The pods that the policy is for."), ageColumn],
  ({ metadata, spec }, now) => [
    metadata?.name,
    selectorCell(spec?.podSelector, "<none>"),
    age(metadata?.creationTimestamp, now),
  ],
);
