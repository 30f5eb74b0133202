import { isJsonObject } from "@kedge/machinery";
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of the group apps. */
export const appsDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.apps.v1.Deployment", setDeployment],
  ["io.k8s.api.apps.v1.ReplicaSet", setReplicaSet],
  ["io.k8s.api.apps.v1.StatefulSet", setStatefulSet],
  ["io.k8s.api.apps.v1.DaemonSet", setDaemonSet],
];

function setDeployment(deployment: Decoded<Deployment>): void {
  const spec = (deployment.spec ??= {});
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ??= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= "25%";
    rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

function setReplicaSet(replicaSet: Decoded<ReplicaSet>): void {
  const spec = (replicaSet.spec ??= {});
  spec.replicas ??= 1;
}

function setStatefulSet(statefulSet: Decoded<StatefulSet>): void {
  const spec = (statefulSet.spec ??= {});
  spec.podManagementPolicy ??= "OrderedReady";
  const strategy = (spec.updateStrategy ??= {});
  if (strategy.type === undefined) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  // It may be null until it is normalized itself.
  if (strategy.type === "RollingUpdate" && isJsonObject(strategy.rollingUpdate))
    strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ??= "Retain";
  retention.whenScaled ??= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion ??= "v1";
    claim.kind ??= "PersistentVolumeClaim";
  }
}

function setDaemonSet(daemonSet: Decoded<DaemonSet>): void {
  const spec = (daemonSet.spec ??= {});
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ??= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= 1;
    rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}
