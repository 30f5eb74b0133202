import { ReplicationController } from "@kedge/machinery/kinds/core/v1";
import { labelsCell } from "../../tables/text-cells.ts";
import { replicasPrinter } from "../workload/replicas-printer.ts";

/** `kubectl get replicationcontrollers`. */
export const replicationControllerPrinter = replicasPrinter(ReplicationController, ({ spec }) =>
  labelsCell(spec?.selector),
);
