import type { VirtualClock } from "@kedge/machinery";
import type { Store } from "../types.ts";
import { describeConcurrency } from "./describe-concurrency.ts";
import { describeHistory } from "./describe-history.ts";
import { describeLeases, type LeaseTime } from "./describe-leases.ts";
import { describeTransactions } from "./describe-transactions.ts";

/** How the suite gets an empty store; what it opened it closes. */
export type OpenStore = (clock: VirtualClock) => Promise<Store>;

/** In what stores may differ. */
export interface StoreTraits {
  /** Whether writes that are started one after the other happen in this order, though nobody waited. */
  readonly inOrder: boolean;
  /** How the time of leases passes. */
  readonly leases: LeaseTime;
}

/** What every store must do, whatever keeps it. */
export function describeStore(open: OpenStore, traits: StoreTraits = ownTime): void {
  describeTransactions(open);
  describeHistory(open);
  describeLeases(open, traits.leases);
  describeConcurrency(open, traits);
}

/** The clock that it was opened with is the only one. */
const ownTime: StoreTraits = {
  inOrder: true,
  leases: { ttl: 1000, margin: 1, pass: (clock, ms) => clock.advance(ms) },
};
