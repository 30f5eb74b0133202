import type { Comparison, KeyValue, Write } from "../types.ts";
import { bytesOf, MessageWriter, numberOf, readFields, textOf } from "./protobuf.ts";

/** A key as etcd has it: bytes. */
export type Key = Uint8Array;

/** The keys from `start` up to but without `end`. */
export interface KeyRange {
  readonly start: Key;
  readonly end: Key;
}

/** One key or a range of them. */
export interface RangeRequest {
  readonly start: Key;
  /** Undefined for a single key. */
  readonly end?: Key | undefined;
  /** 0: without a limit. */
  readonly limit?: number;
  /** 0: the newest. */
  readonly revision?: number;
  readonly countOnly?: boolean;
}

/** Turns etcd's keys into ours. */
export type ReadKey = (key: Key) => string;

/** `RangeRequest` of etcd's `rpc.proto`, like all below. */
export function rangeRequest(request: RangeRequest): MessageWriter {
  const { start, end, limit = 0, revision = 0, countOnly = false } = request;
  const message = new MessageWriter().bytes(1, start);
  if (end !== undefined) message.bytes(2, end);
  return message.int(3, limit).int(4, revision).bool(9, countOnly);
}

/** What a range holds. */
export interface RangeResponse {
  readonly revision: number;
  readonly items: readonly KeyValue[];
  readonly count: number;
}

/** `RangeResponse` */
export function readRange(bytes: Uint8Array, readKey: ReadKey): RangeResponse {
  const items: KeyValue[] = [];
  let [revision, count] = [0, 0];
  readFields(bytes, (field, value) => {
    if (field === 1) revision = revisionIn(bytesOf(value));
    else if (field === 2) items.push(readKeyValue(bytesOf(value), readKey));
    else if (field === 4) count = numberOf(value);
  });
  return { revision, items, count };
}

/** `TxnRequest`: comparisons, and what happens when they hold or when they do not. */
export function transactionRequest(transaction: {
  readonly compare: readonly Comparison[];
  readonly success: readonly Write[];
  readonly failure: readonly RangeRequest[];
  readonly writeKey: (key: string) => Key;
}): Uint8Array {
  const { compare, success, failure, writeKey } = transaction;
  const message = new MessageWriter();
  for (const { key, modRevision } of compare) {
    const [equal, mod] = [0, 2];
    message.message(
      1,
      new MessageWriter().int(1, equal).int(2, mod).bytes(3, writeKey(key)).int(6, modRevision, true),
    );
  }
  for (const write of success) {
    const operation = new MessageWriter().bytes(1, writeKey(write.key));
    if (write.type === "put") operation.bytes(2, write.value).int(3, write.lease ?? 0);
    message.message(2, new MessageWriter().message(write.type === "put" ? 2 : 3, operation));
  }
  for (const range of failure) message.message(3, new MessageWriter().message(1, rangeRequest(range)));
  return message.finish();
}

/** `TxnResponse`: whether the comparisons held, and the ranges that were read. */
export function readTransaction(
  bytes: Uint8Array,
  readKey: ReadKey,
): { readonly succeeded: boolean; readonly revision: number; readonly ranges: readonly RangeResponse[] } {
  const ranges: RangeResponse[] = [];
  let [revision, succeeded] = [0, false];
  readFields(bytes, (field, value) => {
    if (field === 1) revision = revisionIn(bytesOf(value));
    else if (field === 2) succeeded = numberOf(value) !== 0;
    else if (field === 3)
      readFields(bytesOf(value), (kind, response) => {
        if (kind === 1) ranges.push(readRange(bytesOf(response), readKey));
      });
  });
  return { succeeded, revision, ranges };
}

/** `CompactionRequest` */
export function compactionRequest(revision: number): Uint8Array {
  return new MessageWriter().int(1, revision).finish();
}

/** `LeaseGrantRequest`, in seconds. We number leases ourselves: etcd's numbers are longer than ours. */
export function leaseGrantRequest(id: number, ttl: number): Uint8Array {
  return new MessageWriter().int(1, ttl).int(2, id).finish();
}

/** `LeaseRevokeRequest`, and `LeaseKeepAliveRequest` and `LeaseTimeToLiveRequest` as we use them. */
export function leaseRequest(id: number): Uint8Array {
  return new MessageWriter().int(1, id).finish();
}

/** The seconds of `LeaseGrantResponse`, `LeaseKeepAliveResponse` and `LeaseTimeToLiveResponse`. */
export function readLease(bytes: Uint8Array): { readonly ttl: number; readonly granted: number } {
  let [ttl, granted] = [0, 0];
  readFields(bytes, (field, value) => {
    if (field === 3) ttl = numberOf(value);
    else if (field === 4) granted = numberOf(value);
  });
  return { ttl, granted };
}

/** `KeyValue` of `kv.proto`. */
export function readKeyValue(bytes: Uint8Array, readKey: ReadKey): KeyValue {
  let key = "";
  let value = new Uint8Array();
  let [createRevision, modRevision, version, lease] = [0, 0, 0, 0];
  readFields(bytes, (field, found) => {
    if (field === 1) key = readKey(bytesOf(found));
    else if (field === 2) createRevision = numberOf(found);
    else if (field === 3) modRevision = numberOf(found);
    else if (field === 4) version = numberOf(found);
    else if (field === 5) value = new Uint8Array(bytesOf(found)); // A copy: a part would keep the whole message in memory.
    else if (field === 6) lease = numberOf(found);
  });
  return { key, value, createRevision, modRevision, version, lease };
}

/** The revision of a `ResponseHeader`. */
export function revisionIn(bytes: Uint8Array): number {
  let revision = 0;
  readFields(bytes, (field, value) => {
    if (field === 3) revision = numberOf(value);
  });
  return revision;
}

/** The version of `StatusResponse`. */
export function readVersion(bytes: Uint8Array): string {
  let version = "";
  readFields(bytes, (field, value) => {
    if (field === 2) version = textOf(value);
  });
  return version;
}
