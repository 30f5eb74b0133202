import { validateDns1123Label } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { ApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { dropStatus, keepStatus, statusPart } from "../status.ts";
import { workloadScale } from "../workload/scale.ts";
import { validateWorkloadStatus } from "../workload/status-validation.ts";
import { statefulSetWarnings } from "../workload/warnings.ts";
import { statefulSetPrinter } from "./printer.ts";
import { validateStatefulSet, validateStatefulSetUpdate } from "./validation.ts";

/** StatefulSets. */
export function statefulSetDefinition(): KindDefinition {
  return {
    kind: StatefulSet,
    printer: statefulSetPrinter,
    strategy: {
      prepareForCreate: (object) => {
        dropStatus(object);
        dropMaxUnavailable(object);
      },
      prepareForUpdate: (object, previous) => {
        keepStatus(object, previous);
        dropMaxUnavailable(object);
      },
      validate: validateStatefulSet,
      validateUpdate: validateStatefulSetUpdate,
      warnings: statefulSetWarnings,
      nameRule: validateDns1123Label,
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
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  ofReplicas: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  readyName: "status.readyReplicas",
};

/** Stateful sets update one pod at a time; Kubernetes forgets the field while its gate is closed. */
function dropMaxUnavailable(object: ApiObject): void {
  delete decodedAs(StatefulSet, object).spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
}
