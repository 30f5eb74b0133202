import { Turns, type Clock } from "@kedge/machinery";
import type { RootDatabase } from "lmdb";
import { applyChanges, type Change, type Entry, type State } from "../mvcc/changes.ts";
import { History } from "../mvcc/history.ts";
import { firstRevision, type Recovered, type RecoveredLease } from "../mvcc/journal.ts";
import { find, valuesFrom } from "../mvcc/sorted-map.ts";
import { StoreError } from "../store-error.ts";
import { aheadGuardKey, compactedKey, lastLeaseKey, numberOf, type Key } from "./keys.ts";
import type { Operation } from "./operations.ts";
import { decodeRecord, type LogRecord } from "./record.ts";

/** The event loop goes round after so many records, or so many bytes of them. */
const sliceRecords = 1000;
const sliceBytes = 4 * 1024 * 1024;

/** What recovery needs besides its database. */
export interface RecoverOptions {
  readonly clock: Clock;
  /** What is to be done in the database, but was not yet. */
  readonly ahead: readonly Operation[];
  /** Called after each slice with the number of records so far. */
  readonly onRecords: (count: number) => void;
}

/**
 * Reads a store from its log, in slices. Before the compacted revision the log holds just what was there when it was
 * reached; from it on, everything.
 */
export async function recover(
  db: RootDatabase<Buffer, Key>,
  { clock, ahead, onRecords }: RecoverOptions,
): Promise<Recovered> {
  const turns = new Turns(clock);
  const log = new Replay(readNumber(db, compactedKey) ?? firstRevision);
  let read = 0;
  for (let after: Key = ["log"]; ;) {
    let bytes = 0;
    let last: Key | undefined;
    for (const { key, value } of db.getRange({
      start: after,
      exclusiveStart: true,
      end: ["log", Infinity],
      limit: sliceRecords,
    })) {
      last = key;
      if (key[1] === aheadGuardKey[1]) continue;
      read++;
      log.take(key, value);
      bytes += value.length;
      if (bytes > sliceBytes) break;
    }
    if (last === undefined) break;
    after = last;
    onRecords(read);
    await turns.next();
  }
  for (const { key, value } of ahead) if (key[0] === "log" && value !== undefined) log.take(key, value);
  const history = log.finish();
  return {
    history,
    leases: leasesOf(db, ahead),
    leased: await leasedOf(history.head.state, turns),
    lastLease: lastLeaseOf(db, ahead),
  };
}

type Positioned = LogRecord & { readonly position: number };

/** Makes a history of records that come in the order of the log. */
class Replay {
  readonly #compactedAt: number;
  #history: History | undefined;
  /** Before the compacted revision there is only a state. */
  #state: State;
  #revision = 0;
  #records: Positioned[] = [];

  constructor(compactedAt: number) {
    this.#compactedAt = compactedAt;
  }

  take([, revision, position]: Key, value: Buffer): void {
    if (typeof revision !== "number" || typeof position !== "number") return;
    if (revision !== this.#revision) this.#commit();
    this.#revision = revision;
    this.#records.push({ ...decodeRecord(value, { modRevision: revision, position }), position });
  }

  finish(): History {
    this.#commit();
    const history = this.#begun([]);
    history.publish(history.head.revision);
    return history;
  }

  #commit(): void {
    const revision = this.#revision;
    const records = this.#records;
    if (records.length === 0) return;
    this.#records = [];
    if (revision > this.#compactedAt) {
      const history = this.#begun([]);
      const expected = history.head.revision + 1;
      if (revision !== expected)
        throw new StoreError("DAMAGED", `the log lacks revision ${expected} and goes on with ${revision}`);
      history.append(records.map((record) => changeOf(history.head.state, revision, record)));
      return;
    }
    const state = this.#state;
    const changes = records.map((record) => changeOf(state, revision, record));
    this.#state = applyChanges(state, changes);
    if (revision === this.#compactedAt) this.#begun(changes);
  }

  #begun(changes: readonly Change[]): History {
    this.#history ??= new History({ revision: this.#compactedAt, changes, state: this.#state });
    return this.#history;
  }
}

function changeOf(state: State, revision: number, record: Positioned): Change {
  const previous = find(state, record.key);
  if (!("deleted" in record)) return { type: "put", current: record, previous };
  if (previous === undefined)
    throw new StoreError("DAMAGED", `the log deletes ${record.key}, which is not there`);
  return { type: "delete", key: record.key, modRevision: revision, position: record.position, previous };
}

async function leasedOf(state: State, turns: Turns): Promise<readonly Entry[]> {
  const leased: Entry[] = [];
  let seen = 0;
  for (const entry of valuesFrom(state, "")) {
    if (entry.lease !== 0) leased.push(entry);
    if (++seen % (10 * sliceRecords) === 0) await turns.next();
  }
  return leased;
}

function leasesOf(db: RootDatabase<Buffer, Key>, ahead: readonly Operation[]): readonly RecoveredLease[] {
  const ttls = new Map<number, number>();
  const stored = [...db.getRange({ start: ["lease"], end: ["lease", Infinity] })];
  for (const { key, value } of [...stored, ...ahead]) {
    const [kind, id] = key;
    if (kind !== "lease" || typeof id !== "number") continue;
    if (value === undefined) ttls.delete(id);
    else ttls.set(id, numberOf(key, value));
  }
  // Nobody could keep them alive while the store was closed: their time starts anew, as in etcd.
  return Array.from(ttls, ([id, ttl]) => ({ id, ttl, remaining: ttl }));
}

function lastLeaseOf(db: RootDatabase<Buffer, Key>, ahead: readonly Operation[]): number {
  const last = ahead.findLast(({ key }) => key.join(" ") === lastLeaseKey.join(" "));
  return last?.value === undefined ? (readNumber(db, lastLeaseKey) ?? 0) : numberOf(lastLeaseKey, last.value);
}

/** The number that a key of the database has. */
export function readNumber(db: RootDatabase<Buffer, Key>, key: Key): number | undefined {
  const value = db.get(key);
  return value === undefined ? undefined : numberOf(key, value);
}
