import { fieldPath, parseQuantity, quantityMilliValue, type FieldPath } from "@kedge/machinery";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { PersistentVolumeClaimSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { sentAs, type Sent } from "../../registry/sent.ts";

/** What is odd about a claim. */
export function claimWarnings(object: StoredApiObject): readonly string[] {
  return claimSpecWarnings(sentAs(PersistentVolumeClaim, object).spec, fieldPath("spec"));
}

/** What is odd about a claim, or about a template for claims. */
export function claimSpecWarnings(
  spec: Sent<PersistentVolumeClaimSpec> | undefined,
  path: FieldPath,
): readonly string[] {
  const storage = spec?.resources?.requests?.["storage"];
  if (storage === undefined || quantityMilliValue(parseQuantity(storage)) % 1000n === 0n) return [];
  const place = path.child("resources", "requests").key("storage").toString();
  return [`${place}: fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`];
}
