import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { VolumeAttributesClass } from "@kedge/machinery/kinds/storage/v1";
import { isAbout } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** Gives new claims, volumes and volume attributes classes the finalizer that a controller removes when nobody uses them any more. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  operations: ["CREATE"],
  admit: (request) => {
    const { metadata } = request.object ?? {};
    const finalizer = isAbout(request, PersistentVolumeClaim)
      ? "kubernetes.io/pvc-protection"
      : isAbout(request, PersistentVolume)
        ? "kubernetes.io/pv-protection"
        : isAbout(request, VolumeAttributesClass)
          ? "kubernetes.io/vac-protection"
          : undefined;
    if (metadata === undefined || finalizer === undefined) return;
    const { finalizers = [] } = metadata;
    if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
  },
};
