import { compareQuantities, parseQuantity } from "@kedge/machinery";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { lookUp } from "../registry/lookup.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { classAnnotation } from "./default-storage-class.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** Lets bound claims grow only where their class knows how. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  operations: ["UPDATE"],
  validate: (request, { objects }) => {
    const { object, oldObject } = request;
    if (object === undefined || oldObject === undefined || !isAbout(request, PersistentVolumeClaim)) return;
    const before = decodedAs(PersistentVolumeClaim, oldObject);
    const size = sizeOf(decodedAs(PersistentVolumeClaim, object));
    if (compareQuantities(parseQuantity(size), parseQuantity(sizeOf(before))) <= 0) return;
    if (before.status?.phase !== "Bound") return;
    const name = before.metadata?.annotations?.[classAnnotation] ?? before.spec?.storageClassName ?? "";
    if (name !== "" && lookUp(objects, StorageClass, { name })?.allowVolumeExpansion === true) return;
    throw refusal(
      request,
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  },
};

function sizeOf({ spec }: Decoded<PersistentVolumeClaim>): string {
  return spec?.resources?.requests?.["storage"] ?? "0";
}
