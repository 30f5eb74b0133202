import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { accessModesCell } from "../../tables/text-cells.ts";

/** `kubectl get persistentvolumeclaims`. */
export const persistentVolumeClaimPrinter = printerOf(
  PersistentVolumeClaim,
  [
    nameColumn,
    column("Status", "Whether the claim waits or is bound."),
    column("Volume", "The volume that it is bound to."),
    column("Capacity", "Size of that volume."),
    column("Access Modes", "How that volume can be mounted."),
    column("StorageClass", "Storage class of the claim."),
    column("VolumeAttributesClass", "Volume attributes class of the claim."),
    ageColumn,
    column("VolumeMode", "Whether a file system or a block device is wanted.", { wide: true }),
  ],
  ({ metadata, spec, status }, now) => {
    const volume = spec?.volumeName ?? "";
    return [
      metadata?.name,
      metadata?.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating",
      volume,
      volume === "" ? "" : (status?.capacity?.["storage"] ?? "0"),
      volume === "" ? "" : accessModesCell(status?.accessModes),
      metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "",
      spec?.volumeAttributesClassName ?? "<unset>",
      age(metadata?.creationTimestamp, now),
      spec?.volumeMode ?? "<unset>",
    ];
  },
);
