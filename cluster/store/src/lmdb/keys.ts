import { crc32 } from "node:zlib";
import { StoreError } from "../store-error.ts";
import { ofEarlierVersion } from "./damaged.ts";

/** Keys of the database, in the order of their parts. */
export type Key = (string | number)[];

/** Who has the folder open. */
export const ownerKey: Key = ["owner"];
/** The revision of the last compaction. */
export const compactedKey: Key = ["meta", "compacted"];
/** The highest number of a lease so far. */
export const lastLeaseKey: Key = ["meta", "lastLease"];

/** The first file beside the database whose operations are not in it; 0 when there is none. */
export const aheadKey: Key = ["meta", "ahead"];

/**
 * Where the log has no record, and there is something else while files beside the database count: versions that do not
 * know them read it as a damaged record and refuse the store, instead of opening it without what is in the files.
 */
export const aheadGuardKey: Key = ["log", 0, 0];

/** Where an event is. */
export function logKey(at: { readonly modRevision: number; readonly position: number }): Key {
  return ["log", at.modRevision, at.position];
}

/** Where a lease is. */
export function leaseKey(id: number): Key {
  return ["lease", id];
}

/** A number as the value of a key, with a checksum of both. */
export function numberValue(key: Key, value: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeDoubleBE(value);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8), crc32(JSON.stringify(key))), 8);
  return bytes;
}

/** The number that a key has. */
export function numberOf(key: Key, bytes: Buffer): number {
  if (bytes.length === 8)
    throw new StoreError("DAMAGED", `the value of ${key.join(" ")} ${ofEarlierVersion}`);
  if (
    bytes.length !== 12 ||
    crc32(bytes.subarray(0, 8), crc32(JSON.stringify(key))) !== bytes.readUInt32BE(8)
  )
    throw new StoreError("DAMAGED", `the value of ${key.join(" ")} has a wrong checksum`);
  return bytes.readDoubleBE();
}
