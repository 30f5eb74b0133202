import type { ApplyObject } from "@kedge/client";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { DeepReadonly, Draft } from "@kedge/machinery";
import type { PersistentVolumeClaim, ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import { configHashAnnotation, dataVolume, labelsOf, namesOf } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";
import { placedPod, type PlacingOptions } from "./placement.ts";
import { podSpecOf } from "./pod-spec.ts";

/** What a StatefulSet is made of. */
export interface StatefulSetOptions {
  readonly image: string;
  readonly replicas: number;
  readonly resources: ResourceRequirements | undefined;
  readonly storage: StorageOptions;
  readonly authEnabled: boolean;
  /** Pods are replaced, one after the other, when it changes. */
  readonly configHash: string;
  readonly placing: PlacingOptions;
}

/** The volume of each pod. It cannot be changed in a StatefulSet that exists. */
export interface StorageOptions {
  /** Canonical. */
  readonly size: string;
  readonly storageClassName: string | undefined;
}

/** The StatefulSet whose pods are the servers. */
export function statefulSetOf(
  key: InstanceKey,
  options: StatefulSetOptions,
): DeepReadonly<ApplyObject<StatefulSet>> {
  const { namespace, name } = key;
  const names = namesOf(name);
  const labels = labelsOf(name);
  return {
    metadata: { namespace, name: names.statefulSet, labels },
    spec: {
      replicas: options.replicas,
      serviceName: names.headlessService,
      // All at once: a replica that cannot start does not keep the others, or a repaired template, from starting.
      podManagementPolicy: "Parallel",
      // The operator replaces pods itself: the primary is the last one, whatever its ordinal (`plan/roll.ts`).
      updateStrategy: { type: "OnDelete" },
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels: { ...options.placing.labels, ...labels },
          annotations: { ...options.placing.annotations, [configHashAnnotation]: options.configHash },
        },
        spec: { ...podSpecOf(key, options), ...placedPod(name, options.placing) },
      },
      volumeClaimTemplates: [claimTemplateOf(name, options.storage)],
    },
  };
}

/**
 * Complete, with what a server would fill in: to server-side apply the list is one value, and must be equal to the
 * stored one where nothing was changed.
 */
function claimTemplateOf(
  instance: string,
  { size, storageClassName }: StorageOptions,
): Draft<PersistentVolumeClaim> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: dataVolume, labels: labelsOf(instance) },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(storageClassName !== undefined && { storageClassName }),
      volumeMode: "Filesystem",
    },
    status: { phase: "Pending" },
  };
}
