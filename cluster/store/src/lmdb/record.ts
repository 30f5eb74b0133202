import { crc32 } from "node:zlib";
import type { Entry } from "../mvcc/changes.ts";
import { StoreError } from "../store-error.ts";
import { ofEarlierVersion } from "./damaged.ts";

/** What the log holds of one event. A deletion has no more than its key. */
export type LogRecord = Entry | { readonly key: string; readonly deleted: true };

// Byte 0: the kind. Then three numbers as doubles: create revision, version, lease. Then the length of the key, a
// checksum of where the record is and of all its other bytes, the key, the value.
const put = 3;
const deletion = 4;
/** The kinds of records that had no checksums. */
const unchecked: ReadonlySet<number> = new Set([1, 2]);
const keyLengthAt = 25;
const checksumAt = 29;
const keyAt = 33;

/** Where a record is in the log. */
export interface Address {
  readonly modRevision: number;
  readonly position: number;
}

/** The bytes of a record: a header of fixed size, the key, the value as it is. */
export function encodeRecord(record: LogRecord, address: Address): Buffer {
  const key = Buffer.from(record.key);
  const value = "deleted" in record ? undefined : record.value;
  const bytes = Buffer.alloc(keyAt + key.length + (value?.length ?? 0));
  bytes.writeUInt8("deleted" in record ? deletion : put, 0);
  if (!("deleted" in record)) {
    bytes.writeDoubleBE(record.createRevision, 1);
    bytes.writeDoubleBE(record.version, 9);
    bytes.writeDoubleBE(record.lease, 17);
  }
  bytes.writeUInt32BE(key.length, keyLengthAt);
  bytes.set(key, keyAt);
  if (value !== undefined) bytes.set(value, keyAt + key.length);
  bytes.writeUInt32BE(checksumOf(bytes, address), checksumAt);
  return bytes;
}

/** Reads a record. The value is copied: the bytes belong to the database, which will reuse them. */
export function decodeRecord(bytes: Buffer, { modRevision, position }: Address): LogRecord {
  if (bytes.length > 0 && unchecked.has(bytes.readUInt8(0)))
    throw new StoreError("DAMAGED", `record ${position} of revision ${modRevision} ${ofEarlierVersion}`);
  const isRecord = bytes.length >= keyAt && [put, deletion].includes(bytes.readUInt8(0));
  if (!isRecord || bytes.readUInt32BE(checksumAt) !== checksumOf(bytes, { modRevision, position }))
    throw new StoreError("DAMAGED", `record ${position} of revision ${modRevision} has a wrong checksum`);
  const keyEnd = keyAt + bytes.readUInt32BE(keyLengthAt);
  const key = bytes.toString("utf8", keyAt, keyEnd);
  if (bytes.readUInt8(0) === deletion) return { key, deleted: true };
  return {
    key,
    value: new Uint8Array(bytes.subarray(keyEnd)),
    createRevision: bytes.readDoubleBE(1),
    modRevision,
    version: bytes.readDoubleBE(9),
    lease: bytes.readDoubleBE(17),
    position,
  };
}

function checksumOf(bytes: Buffer, { modRevision, position }: Address): number {
  const before = crc32(bytes.subarray(0, checksumAt), crc32(`${modRevision} ${position}`));
  return crc32(bytes.subarray(keyAt), before);
}
