import { StoreError } from "../store-error.ts";
import type { Transaction } from "../types.ts";

/** Refuses what cannot be carried out, before anything has changed. */
export function checkTransaction({ success }: Transaction, checkLease: (id: number) => void): void {
  const keys = new Set<string>();
  for (const write of success) {
    if (write.key === "") throw new StoreError("INVALID", "key: must not be empty");
    if (keys.has(write.key))
      throw new StoreError(
        "DUPLICATE_KEY",
        `key ${JSON.stringify(write.key)} is written twice in one transaction`,
      );
    keys.add(write.key);
    if (write.type === "put" && write.lease !== undefined && write.lease !== 0) checkLease(write.lease);
  }
}
