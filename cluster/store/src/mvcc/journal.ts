import type { Lease } from "../types.ts";
import type { Commit, Snapshot } from "./history.ts";

/** What a store must not forget. */
export type JournalRecord =
  | { readonly type: "commit"; readonly commit: Commit }
  | { readonly type: "compact"; readonly revision: number; readonly dropped: readonly Commit[] }
  | { readonly type: "lease"; readonly lease: Lease }
  | { readonly type: "leaseEnd"; readonly id: number };

/** Makes records durable, in the order in which they come. */
export interface Journal {
  /** Resolves when the record, and with it all earlier ones, is durable. After it has rejected once, it always does. */
  append(record: JournalRecord): Promise<void>;
  close(): Promise<void>;
}

/** What a store begins with. */
export interface Recovered {
  readonly oldest: Snapshot;
  readonly commits: readonly Commit[];
  readonly leases: readonly RecoveredLease[];
  /** The highest number of a lease so far. */
  readonly lastLease: number;
}

/** A lease with the time that is left, in milliseconds. */
export interface RecoveredLease extends Lease {
  readonly remaining: number;
}

/** An empty store. */
export const nothingRecovered: Recovered = {
  oldest: { revision: 1, changes: [], state: undefined },
  commits: [],
  leases: [],
  lastLease: 0,
};
