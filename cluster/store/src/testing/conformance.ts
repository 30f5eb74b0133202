import type { Clock } from "@kedge/machinery";
import type { Store } from "../types.ts";
import { describeConcurrency } from "./describe-concurrency.ts";
import { describeHistory } from "./describe-history.ts";
import { describeLeases } from "./describe-leases.ts";
import { describeTransactions } from "./describe-transactions.ts";

/** How the suite gets an empty store; what it opened it closes. */
export type OpenStore = (clock: Clock) => Promise<Store>;

/** What every store must do, whatever keeps it. */
export function describeStore(open: OpenStore): void {
  describeTransactions(open);
  describeHistory(open);
  describeLeases(open);
  describeConcurrency(open);
}
