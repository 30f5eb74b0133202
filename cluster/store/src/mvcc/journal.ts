import type { Lease } from "../types.ts";
import type { Entry } from "./changes.ts";
import { History, type Commit } from "./history.ts";

/** What a store must not forget. */
export type JournalRecord =
  | { readonly type: "commit"; readonly commit: Commit }
  | { readonly type: "compact"; readonly revision: number; readonly dropped: readonly Commit[] }
  | { readonly type: "lease"; readonly lease: Lease }
  | { readonly type: "leaseEnd"; readonly id: number };

/** Makes records durable, in the order in which they come. */
export interface Journal {
  /**
   * Resolves when the record, and with it all earlier ones, is durable. When it has rejected, it rejects all that
   * follow, since they build on what was lost, until `resume`.
   */
  append(record: JournalRecord): Promise<void>;
  /** Says that what was rejected has been taken back. */
  resume(): void;
  close(): Promise<void>;
}

/** What a store begins with. */
export interface Recovered {
  readonly history: History;
  readonly leases: readonly RecoveredLease[];
  /** The keys that hang on leases. */
  readonly leased: Iterable<Entry>;
  /** The highest number of a lease so far. */
  readonly lastLease: number;
}

/** A lease with the time that is left, in milliseconds. */
export interface RecoveredLease extends Lease {
  readonly remaining: number;
}

/** An empty store. */
export function nothingRecovered(): Recovered {
  const history = new History({ revision: firstRevision, changes: [], state: undefined });
  return { history, leases: [], leased: [], lastLease: 0 };
}

/** Where an empty store is. */
export const firstRevision = 1;
