import { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { selectorCell } from "../../tables/text-cells.ts";
import { replicasPrinter } from "../workload/replicas-printer.ts";

/** `kubectl get replicasets`. */
export const replicaSetPrinter = replicasPrinter(ReplicaSet, ({ spec }) =>
  selectorCell(spec?.selector, "<none>"),
);
