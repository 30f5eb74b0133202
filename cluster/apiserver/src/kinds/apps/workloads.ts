import { deepEqual, validateDns1123Label } from "@kedge/machinery";
import { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { workloadScale } from "../scale.ts";
import { sentAs } from "../../registry/sent.ts";
import { dropStatus, keepStatus, statusPart } from "../status.ts";
import { validateDeployment, validateDeploymentUpdate } from "../validation/deployment.ts";
import { validateReplicaSet, validateReplicaSetUpdate } from "../validation/replica-set.ts";
import { validateStatefulSet, validateStatefulSetUpdate } from "../validation/stateful-set.ts";
import { validateWorkloadStatus } from "../validation/workload-status.ts";
import { statefulSetWarnings, workloadWarnings } from "../warnings/workload.ts";

/** The kinds of the group apps that run pods, and the history that some of them keep. */
export function workloadDefinitions(): readonly KindDefinition[] {
  return [
    {
      kind: Deployment,
      strategy: {
        validate: validateDeployment,
        validateUpdate: validateDeploymentUpdate,
        warnings: workloadWarnings,
        generation: hasNewSpecOrAnnotations,
      },
      subresources: {
        status: statusPart({
          keepMetadata: ["labels"],
          validateUpdate: validateWorkloadStatus(deploymentCounts),
        }),
        scale: workloadScale(),
      },
    },
    {
      kind: ReplicaSet,
      strategy: {
        validate: validateReplicaSet,
        validateUpdate: validateReplicaSetUpdate,
        warnings: workloadWarnings,
      },
      subresources: {
        status: statusPart({ validateUpdate: validateWorkloadStatus(replicaSetCounts) }),
        scale: workloadScale(),
      },
    },
    {
      kind: StatefulSet,
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
        status: statusPart({ validateUpdate: validateWorkloadStatus(statefulSetCounts) }),
        scale: workloadScale(),
      },
    },
    { kind: ControllerRevision, strategy: { generation: "none" } },
  ];
}

const deploymentCounts = {
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

const replicaSetCounts = {
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

const statefulSetCounts = {
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
  delete sentAs(StatefulSet, object).spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
}

/** The deployment controller copies annotations to its replica sets, so it has to see them change. */
function hasNewSpecOrAnnotations(object: StoredApiObject, previous: StoredApiObject): boolean {
  return (
    !deepEqual(object["spec"], previous["spec"]) ||
    !deepEqual(object.metadata.annotations ?? {}, previous.metadata.annotations ?? {})
  );
}
