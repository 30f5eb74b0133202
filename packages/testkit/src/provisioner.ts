import { apiVersionOf, isAlreadyExists, isNotFound, type DeepReadonly, type Draft } from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { defineController, watches, type Controller } from "@kedge/runtime";

const className = "simulated";
const provisioner = "kedge.dev/simulated";

/** The class that claims get if they name none: volumes without a disk, where their first pod is. */
export const simulatedClass: Draft<StorageClass> = {
  metadata: {
    name: className,
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  provisioner,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
};

const provisionedBy = "pv.kubernetes.io/provisioned-by";
const selectedNode = "volume.kubernetes.io/selected-node";

/** Makes volumes for claims of the simulated class, and removes those that were left. */
export function simulatedProvisioner(): Controller {
  return defineController({
    name: "simulated-provisioner",
    for: PersistentVolumeClaim,
    watches: [
      watches(PersistentVolume, ({ spec }) =>
        spec?.claimRef?.name === undefined
          ? []
          : [{ namespace: spec.claimRef.namespace ?? "", name: spec.claimRef.name }],
      ),
    ],
    async reconcile(context) {
      const { key, object: claim, client, signal } = context;
      const volumes = context.read(PersistentVolume).list().filter(isOurs);
      const left = volumes.filter(
        ({ spec, status }) =>
          spec?.claimRef?.namespace === key.namespace &&
          spec?.claimRef?.name === key.name &&
          status?.phase === "Released",
      );
      for (const { metadata } of left) {
        const { name, uid } = metadata;
        await client
          .of(PersistentVolume)
          .delete({ name }, { preconditions: { uid }, signal })
          .catch(ignore(isNotFound));
      }
      const isWaiting =
        claim?.spec?.storageClassName === className &&
        claim.spec.volumeName === undefined &&
        claim.metadata.deletionTimestamp === undefined &&
        claim.metadata.annotations?.[selectedNode] !== undefined;
      if (!isWaiting) return undefined;
      await client.of(PersistentVolume).create(volumeFor(claim), { signal }).catch(ignore(isAlreadyExists));
      return undefined;
    },
  });
}

function isOurs({ metadata }: DeepReadonly<PersistentVolume>): boolean {
  return metadata.annotations?.[provisionedBy] === provisioner;
}

function volumeFor({ metadata, spec }: DeepReadonly<PersistentVolumeClaim>): Draft<PersistentVolume> {
  const { namespace, name, uid } = metadata;
  const reference = { apiVersion: apiVersionOf(PersistentVolumeClaim), kind: PersistentVolumeClaim.kind };
  return {
    metadata: { name: `pvc-${uid}`, annotations: { [provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: spec?.resources?.requests?.["storage"] ?? "1Gi" },
      accessModes: [...(spec?.accessModes ?? [])],
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: className,
      claimRef: { ...reference, namespace, name, uid },
      hostPath: { path: `/simulated/${uid}` },
    },
  };
}

function ignore(isFine: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!isFine(error)) throw error;
  };
}
