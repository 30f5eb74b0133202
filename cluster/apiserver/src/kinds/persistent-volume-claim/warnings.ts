import { fieldPath, parseQuantity, quantityMilliValue, type FieldPath } from "@kedge/machinery";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { PersistentVolumeClaimSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";

/** What is odd about a claim. */
export function claimWarnings(object: StoredApiObject): readonly string[] {
  return claimSpecWarnings(decodedAs(PersistentVolumeClaim, object).spec, fieldPath("spec"));
}

/** What is odd about a claim, or about a template for claims. */
export function claimSpecWarnings(
  spec: Decoded<PersistentVolumeClaimSpec> | undefined,
  path: FieldPath,
): readonly string[] {
  const storage = spec?.resources?.requests?.["storage"];
  if (storage === undefined || quantityMilliValue(parseQuantity(storage)) % 1000n === 0n) return [];
  const place = path.child("resources", "requests").key("storage").toString();
  return [`${place}: fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`];
}
