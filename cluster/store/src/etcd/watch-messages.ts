import type { KeyValue, StoreEvent } from "../types.ts";
import { readKeyValue, revisionIn, type KeyRange, type ReadKey } from "./messages.ts";
import { bytesOf, MessageWriter, numberOf, readFields, textOf } from "./protobuf.ts";

/** `WatchRequest` that begins a watch: with what was there before, with progress, in fragments if it is much. */
export function watchCreateRequest({ start, end }: KeyRange, from: number): Uint8Array {
  const create = new MessageWriter()
    .bytes(1, start)
    .bytes(2, end)
    .int(3, from)
    .bool(4, true)
    .bool(6, true)
    .bool(8, true);
  return new MessageWriter().message(1, create).finish();
}

/** `WatchRequest` that asks how far the watch has come. */
export function watchProgressRequest(): Uint8Array {
  return new MessageWriter().message(3, new MessageWriter()).finish();
}

/** One message of a watch. */
export interface WatchResponse {
  /** Of the member when it sent this. Without events, all events up to it have been sent. */
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** The oldest revision that is kept, when the watch asked for an older one; else 0. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** Whether the events of the last revision here go on in the next message. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

/** An event, or the revision of one whose previous value etcd has compacted away. */
export type WatchEvent = StoreEvent | { readonly type: "lost"; readonly modRevision: number };

/** `WatchResponse` */
export function readWatch(bytes: Uint8Array, readKey: ReadKey): WatchResponse {
  const events: WatchEvent[] = [];
  let [revision, compactRevision, cancelReason] = [0, 0, ""];
  let [created, canceled, fragment] = [false, false, false];
  readFields(bytes, (field, value) => {
    if (field === 1) revision = revisionIn(bytesOf(value));
    else if (field === 3) created = numberOf(value) !== 0;
    else if (field === 4) canceled = numberOf(value) !== 0;
    else if (field === 5) compactRevision = numberOf(value);
    else if (field === 6) cancelReason = textOf(value);
    else if (field === 7) fragment = numberOf(value) !== 0;
    else if (field === 11) events.push(readEvent(bytesOf(value), readKey));
  });
  return { revision, created, canceled, compactRevision, cancelReason, fragment, events };
}

function readEvent(bytes: Uint8Array, readKey: ReadKey): WatchEvent {
  let isDelete = false;
  let current: KeyValue | undefined;
  let previous: KeyValue | undefined;
  readFields(bytes, (field, value) => {
    if (field === 1) isDelete = numberOf(value) === 1;
    else if (field === 2) current = readKeyValue(bytesOf(value), readKey);
    else if (field === 3) previous = readKeyValue(bytesOf(value), readKey);
  });
  if (current === undefined) throw new Error("an event of etcd names no key");
  const { key, modRevision, version } = current;
  if (previous === undefined && (isDelete || version > 1)) return { type: "lost", modRevision };
  if (!isDelete) return { type: "put", current, previous };
  return previous === undefined
    ? { type: "lost", modRevision }
    : { type: "delete", key, modRevision, previous };
}
