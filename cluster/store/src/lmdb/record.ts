import type { Entry } from "../mvcc/changes.ts";

/** What the log holds of one event. A deletion has no more than its key. */
export type LogRecord = Entry | { readonly key: string; readonly deleted: true };

// Byte 0: the kind. Then three numbers as doubles: create revision, version, lease. Then the length of the key.
const put = 1;
const deletion = 2;
const keyLengthAt = 25;
const keyAt = 29;

/** The bytes of a record: a header of fixed size, the key, the value as it is. */
export function encodeRecord(record: LogRecord): Buffer {
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
  return bytes;
}

/** Reads a record. The value is copied: the bytes belong to the database, which will reuse them. */
export function decodeRecord(bytes: Buffer, modRevision: number, position: number): LogRecord {
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
