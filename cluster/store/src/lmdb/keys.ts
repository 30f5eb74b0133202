/** Keys of the database, in the order of their parts. */
export type Key = (string | number)[];

/** Who has the folder open. */
export const ownerKey: Key = ["owner"];
/** The revision of the last compaction. */
export const compactedKey: Key = ["meta", "compacted"];
/** The highest number of a lease so far. */
export const lastLeaseKey: Key = ["meta", "lastLease"];

/** Where an event is. */
export function logKey(at: { readonly modRevision: number; readonly position: number }): Key {
  return ["log", at.modRevision, at.position];
}

/** Where a lease is. */
export function leaseKey(id: number): Key {
  return ["lease", id];
}

/** A number as a value. */
export function numberValue(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
