import type { RootDatabase } from "lmdb";
import { applyChanges, type Change, type State } from "../mvcc/changes.ts";
import type { Commit, Snapshot } from "../mvcc/history.ts";
import { nothingRecovered, type Recovered, type RecoveredLease } from "../mvcc/journal.ts";
import { find } from "../mvcc/sorted-map.ts";
import { StoreError } from "../store-error.ts";
import { compactedKey, lastLeaseKey, type Key } from "./keys.ts";
import { decodeRecord, type LogRecord } from "./record.ts";

/**
 * Reads a store from its log. Before the compacted revision the log holds just what was there when it was reached; from
 * it on, everything.
 */
export function recover(db: RootDatabase<Buffer, Key>): Recovered {
  const compactedAt = readNumber(db, compactedKey) ?? nothingRecovered.oldest.revision;
  let state: State;
  let oldest: Snapshot | undefined;
  const commits: Commit[] = [];
  for (const { revision, records } of transactionsOf(db)) {
    const changes = records.map((record) => changeOf(state, revision, record));
    if (revision > compactedAt) {
      oldest ??= { revision: compactedAt, changes: [], state };
      const expected = compactedAt + commits.length + 1;
      if (revision !== expected)
        throw new StoreError("FAILED", `the log lacks revision ${expected}: the folder has been damaged`);
      commits.push({ revision, changes });
    }
    state = applyChanges(state, changes);
    if (revision === compactedAt) oldest = { revision, changes, state };
  }
  oldest ??= { revision: compactedAt, changes: [], state };
  return { oldest, commits, leases: leasesOf(db), lastLease: readNumber(db, lastLeaseKey) ?? 0 };
}

type Positioned = LogRecord & { readonly position: number };

function* transactionsOf(
  db: RootDatabase<Buffer, Key>,
): Generator<{ readonly revision: number; readonly records: readonly Positioned[] }, undefined> {
  let revision = 0;
  let records: Positioned[] = [];
  for (const { key, value } of db.getRange({ start: ["log"], end: ["log", Infinity] })) {
    const [, at, position] = key;
    if (typeof at !== "number" || typeof position !== "number") continue;
    if (at !== revision && records.length > 0) {
      yield { revision, records };
      records = [];
    }
    revision = at;
    records.push({ ...decodeRecord(value, at, position), position });
  }
  if (records.length > 0) yield { revision, records };
  return undefined;
}

function changeOf(state: State, revision: number, record: Positioned): Change {
  const previous = find(state, record.key);
  if (!("deleted" in record)) return { type: "put", current: record, previous };
  if (previous === undefined)
    throw new StoreError(
      "FAILED",
      `the log deletes ${record.key}, which is not there: the folder has been damaged`,
    );
  return { type: "delete", key: record.key, modRevision: revision, position: record.position, previous };
}

function leasesOf(db: RootDatabase<Buffer, Key>): readonly RecoveredLease[] {
  // Nobody could keep them alive while the store was closed: their time starts anew, as in etcd.
  return [...db.getRange({ start: ["lease"], end: ["lease", Infinity] })].flatMap(
    ({ key: [, id], value }) => {
      const ttl = value.readDoubleBE();
      return typeof id === "number" ? [{ id, ttl, remaining: ttl }] : [];
    },
  );
}

function readNumber(db: RootDatabase<Buffer, Key>, key: Key): number | undefined {
  return db.get(key)?.readDoubleBE();
}
