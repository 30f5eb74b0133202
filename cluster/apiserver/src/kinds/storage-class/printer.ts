import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get storageclasses`. */
export const storageClassPrinter = printerOf(
  StorageClass,
  [
    nameColumn,
    column("Provisioner", "Who makes volumes of this class."),
    column("ReclaimPolicy", "What becomes of a volume when its claim is gone."),
    column("VolumeBindingMode", "When volumes are made and bound."),
    column("AllowVolumeExpansion", "Whether volumes can grow."),
    ageColumn,
  ],
  ({ metadata, provisioner, reclaimPolicy, volumeBindingMode, allowVolumeExpansion }, now) => {
    const isDefault = defaultAnnotations.some((key) => metadata?.annotations?.[key] === "true");
    return [
      `${metadata?.name ?? ""}${isDefault ? " (default)" : ""}`,
      provisioner ?? "",
      reclaimPolicy ?? "Delete",
      volumeBindingMode ?? "Immediate",
      allowVolumeExpansion ?? false,
      age(metadata?.creationTimestamp, now),
    ];
  },
);

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
