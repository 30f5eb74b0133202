import { PersistentVolume } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { accessModesCell } from "../../tables/text-cells.ts";

/** `kubectl get persistentvolumes`. */
export const persistentVolumePrinter = printerOf(
  PersistentVolume,
  [
    nameColumn,
    column("Capacity", "Size of the volume."),
    column("Access Modes", "How the volume can be mounted."),
    column("Reclaim Policy", "What becomes of the volume when its claim is gone."),
    column("Status", "Whether the volume is free, bound or released."),
    column("Claim", "The claim that the volume is bound to."),
    column("StorageClass", "Storage class of the volume."),
    column("VolumeAttributesClass", "Volume attributes class of the volume."),
    column("Reason", "Why the volume is in its state."),
    ageColumn,
    column("VolumeMode", "Whether it is a file system or a block device.", { wide: true }),
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    spec?.capacity?.["storage"] ?? "0",
    accessModesCell(spec?.accessModes),
    spec?.persistentVolumeReclaimPolicy ?? "",
    metadata?.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating",
    spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`,
    metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "",
    spec?.volumeAttributesClassName ?? "<unset>",
    status?.reason ?? "",
    age(metadata?.creationTimestamp, now),
    spec?.volumeMode ?? "<unset>",
  ],
);
