import type { Draft } from "@kedge/machinery";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";

/** The provisioner that each node is for its own disk, as storage classes name it. */
export const localPathProvisioner = "kedge.dev/local-path";

/** Where claims get their volumes if they name no class: on the node of their first pod. */
export const localPathClass = {
  metadata: {
    name: "local-path",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  provisioner: localPathProvisioner,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true,
} as const satisfies Draft<StorageClass>;
