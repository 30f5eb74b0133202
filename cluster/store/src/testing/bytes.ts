import type { KeyValue, Store, StoreEvent, Watch, Write } from "../types.ts";

/** Text as a value. */
export function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** A value as text. */
export function text(value: KeyValue | undefined): string | undefined {
  return value && new TextDecoder().decode(value.value);
}

/** The write that puts a text. */
export function putOf(key: string, value: string, lease = 0): Write {
  return { type: "put", key, value: bytes(value), lease };
}

/** Puts a text, and gives the revision. */
export async function put(store: Store, key: string, value: string): Promise<number> {
  return (await store.transaction({ success: [putOf(key, value)] })).revision;
}

/** Deletes a key, and gives the revision. */
export async function del(store: Store, key: string): Promise<number> {
  return (await store.transaction({ success: [{ type: "delete", key }] })).revision;
}

/** An event in one line: "5 put a=1 was 0". */
function eventText(event: StoreEvent): string {
  const was = event.previous === undefined ? "" : ` was ${text(event.previous)}`;
  return event.type === "put"
    ? `${event.current.modRevision} put ${event.current.key}=${text(event.current)}${was}`
    : `${event.modRevision} delete ${event.key}${was}`;
}

/** Reads a watch up to a revision. */
export async function eventsUpTo(watch: Watch, revision: number): Promise<readonly string[]> {
  const events: StoreEvent[] = [];
  watch.progress();
  for await (const batch of watch) {
    events.push(...batch.events);
    if (batch.revision >= revision) break;
  }
  return events.map(eventText);
}
