import type { Commit } from "../mvcc/history.ts";
import type { JournalRecord } from "../mvcc/journal.ts";
import { compactedKey, lastLeaseKey, leaseKey, logKey, numberValue, type Key } from "./keys.ts";
import { encodeRecord } from "./record.ts";

/** A change of one key of the database; without a value, its removal. Doing it twice is doing it once. */
export interface Operation {
  readonly key: Key;
  readonly value: Buffer | undefined;
}

/** What a record changes in the database. */
export function operationsOf(record: JournalRecord): readonly Operation[] {
  switch (record.type) {
    case "commit":
      return record.commit.changes.map((change) =>
        change.type === "put"
          ? { key: logKey(change.current), value: encodeRecord(change.current, change.current) }
          : { key: logKey(change), value: encodeRecord({ key: change.key, deleted: true }, change) },
      );
    case "compact":
      return [numberAt(compactedKey, record.revision), ...record.dropped.flatMap(droppedBy)];
    case "lease":
      return [numberAt(leaseKey(record.lease.id), record.lease.ttl), numberAt(lastLeaseKey, record.lease.id)];
    case "leaseEnd":
      return [{ key: leaseKey(record.id), value: undefined }];
  }
}

/** A number as the value of a key. */
export function numberAt(key: Key, value: number): Operation {
  return { key, value: numberValue(key, value) };
}

/** How many bytes operations write. */
export function sizeOf(operations: readonly Operation[]): number {
  return operations.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
}

/** After a dropped commit nothing shows what it replaced, nor that it deleted something. */
function droppedBy({ changes }: Commit): readonly Operation[] {
  return changes.flatMap((change) => [
    ...(change.previous === undefined ? [] : [{ key: logKey(change.previous), value: undefined }]),
    ...(change.type === "delete" ? [{ key: logKey(change), value: undefined }] : []),
  ]);
}
