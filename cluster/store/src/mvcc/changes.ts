import type { KeyValue, StoreEvent, Write } from "../types.ts";
import { find, insert, remove, type SortedMap } from "./sorted-map.ts";

/** A key, and the place of its event in its transaction: with the revision, the address of its bytes in a journal. */
export interface Entry extends KeyValue {
  readonly position: number;
}

/** All keys at one revision. */
export type State = SortedMap<Entry>;

/** An event that knows the addresses of what it shows. */
export type Change =
  | { readonly type: "put"; readonly current: Entry; readonly previous: Entry | undefined }
  | (Extract<StoreEvent, { type: "delete" }> & { readonly position: number; readonly previous: Entry });

/** What writes do to a state. Writes that change nothing leave no trace. */
export function changesOf(state: State, revision: number, writes: readonly Write[]): readonly Change[] {
  const changes: Change[] = [];
  for (const write of writes) {
    const position = changes.length;
    const previous = find(state, write.key);
    if (write.type === "put") {
      const { key, value, lease = 0 } = write;
      const createRevision = previous?.createRevision ?? revision;
      const version = (previous?.version ?? 0) + 1;
      const current = { key, value, createRevision, modRevision: revision, version, lease, position };
      changes.push({ type: "put", current, previous });
    } else if (previous !== undefined)
      changes.push({ type: "delete", key: write.key, modRevision: revision, position, previous });
  }
  return changes;
}

/** The state after changes. */
export function applyChanges(state: State, changes: readonly Change[]): State {
  let next = state;
  for (const change of changes) {
    next =
      change.type === "put" ? insert(next, change.current.key, change.current) : remove(next, change.key);
  }
  return next;
}

/** The state before changes. */
export function undoChanges(state: State, changes: readonly Change[]): State {
  let before = state;
  for (const change of changes) {
    const key = keyOfChange(change);
    before = change.previous === undefined ? remove(before, key) : insert(before, key, change.previous);
  }
  return before;
}

/** The key that an event is about. */
export function keyOfChange(change: Change): string {
  return change.type === "put" ? change.current.key : change.key;
}
