import { selectorFromLabels, selectorToString } from "@kedge/machinery";
import { ReplicationController } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../../registry/decoded.ts";
import { labelsOf } from "../../registry/label-selector.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { statusPart } from "../status.ts";
import { workloadScale } from "../workload/scale.ts";
import { validateWorkloadStatus } from "../workload/status-validation.ts";
import { workloadWarnings } from "../workload/warnings.ts";
import { replicationControllerPrinter } from "./printer.ts";
import { validateReplicationController } from "./validation.ts";

/** ReplicationControllers: what there was before ReplicaSets. */
export function replicationControllerDefinition(): KindDefinition {
  return {
    kind: ReplicationController,
    printer: replicationControllerPrinter,
    strategy: {
      validate: validateReplicationController,
      warnings: workloadWarnings,
      selectableFields: (object) => ({
        "status.replicas": String(decodedAs(ReplicationController, object).status?.replicas ?? 0),
      }),
      selectableFieldNames: ["status.replicas"],
      orphansByDefault: {},
    },
    subresources: {
      status: statusPart({ validateUpdate: validateWorkloadStatus(counts) }),
      scale: {
        ...workloadScale(),
        selector: (object) =>
          selectorToString(
            selectorFromLabels(labelsOf(decodedAs(ReplicationController, object).spec?.selector)),
          ),
      },
    },
  };
}

const counts = {
  counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
  ofReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  readyName: "readyReplicas",
};
