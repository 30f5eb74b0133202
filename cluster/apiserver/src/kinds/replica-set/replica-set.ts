import { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { statusPart } from "../status.ts";
import { workloadScale } from "../workload/scale.ts";
import { validateWorkloadStatus } from "../workload/status-validation.ts";
import { workloadWarnings } from "../workload/warnings.ts";
import { replicaSetPrinter } from "./printer.ts";
import { validateReplicaSet, validateReplicaSetUpdate } from "./validation.ts";

/** ReplicaSets. */
export function replicaSetDefinition(): KindDefinition {
  return {
    kind: ReplicaSet,
    printer: replicaSetPrinter,
    strategy: {
      validate: validateReplicaSet,
      validateUpdate: validateReplicaSetUpdate,
      warnings: workloadWarnings,
    },
    subresources: {
      status: statusPart({ validateUpdate: validateWorkloadStatus(counts) }),
      scale: workloadScale(),
    },
  };
}

const counts = {
  counts: [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ],
  ofReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  readyName: "readyReplicas",
};
