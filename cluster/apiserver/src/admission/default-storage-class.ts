import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { lookUpAll } from "../registry/lookup.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { isAbout } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** Gives new claims that name no class the default one. */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  operations: ["CREATE"],
  admit: (request, { objects }) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, PersistentVolumeClaim)) return;
    const claim = decodedAs(PersistentVolumeClaim, object);
    const spec = (claim.spec ??= {});
    // An empty class is a choice: none.
    if (spec.storageClassName !== undefined || claim.metadata?.annotations?.[classAnnotation] !== undefined)
      return;
    const name = defaultClass(lookUpAll(objects, StorageClass))?.metadata?.name;
    if (name !== undefined) spec.storageClassName = name;
  },
};

/** How the class was named before there was a field for it. */
export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Of several defaults, the newest, then the first by name. */
function defaultClass(classes: readonly Decoded<StorageClass>[]): Decoded<StorageClass> | undefined {
  return classes.filter(isDefault).toSorted(byAgeThenName)[0];
}

function isDefault({ metadata }: Decoded<StorageClass>): boolean {
  return [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ].some((key) => metadata?.annotations?.[key] === "true");
}

function byAgeThenName(
  { metadata: a }: Decoded<StorageClass>,
  { metadata: b }: Decoded<StorageClass>,
): number {
  if (a?.creationTimestamp !== b?.creationTimestamp)
    return (a?.creationTimestamp ?? "") < (b?.creationTimestamp ?? "") ? 1 : -1;
  return (a?.name ?? "") < (b?.name ?? "") ? -1 : 1;
}
