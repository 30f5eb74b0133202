import { parseQuantity, quantityMilliValue } from "@kedge/machinery";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { sentAs } from "../sent.ts";

/** What is odd about a claim. */
export function claimWarnings(object: StoredApiObject): readonly string[] {
  const storage = sentAs(PersistentVolumeClaim, object).spec?.resources?.requests?.["storage"];
  if (storage === undefined || quantityMilliValue(parseQuantity(storage)) % 1000n === 0n) return [];
  const amount = JSON.stringify(storage);
  return [`spec.resources.requests[storage]: fractional byte value ${amount} is invalid, must be an integer`];
}
