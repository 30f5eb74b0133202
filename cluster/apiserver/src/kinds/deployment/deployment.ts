import { deepEqual } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { statusPart } from "../status.ts";
import { workloadScale } from "../workload/scale.ts";
import { validateWorkloadStatus } from "../workload/status-validation.ts";
import { workloadWarnings } from "../workload/warnings.ts";
import { deploymentPrinter } from "./printer.ts";
import { validateDeployment, validateDeploymentUpdate } from "./validation.ts";

/** Deployments. */
export function deploymentDefinition(): KindDefinition {
  return {
    kind: Deployment,
    printer: deploymentPrinter,
    strategy: {
      validate: validateDeployment,
      validateUpdate: validateDeploymentUpdate,
      warnings: workloadWarnings,
      generation: hasNewSpecOrAnnotations,
    },
    subresources: {
      status: statusPart({ keepMetadata: ["labels"], validateUpdate: validateWorkloadStatus(counts) }),
      scale: workloadScale(),
    },
  };
}

const counts = {
  counts: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  ofReplicas: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  readyName: "readyReplicas",
};

/** The deployment controller copies annotations to its replica sets, so it has to see them change. */
function hasNewSpecOrAnnotations(object: StoredApiObject, previous: StoredApiObject): boolean {
  return (
    !deepEqual(object["spec"], previous["spec"]) ||
    !deepEqual(object.metadata.annotations ?? {}, previous.metadata.annotations ?? {})
  );
}
