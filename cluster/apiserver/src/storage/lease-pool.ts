import type { Clock } from "@kedge/machinery";
import type { Store } from "@kedge/store";

/** Objects that are written within this time of each other may share a lease. */
const sharedMs = 60_000;

/**
 * Leases for objects that go by themselves. A lease for each would be a timer for each, so those of a minute share one;
 * some then live up to a minute longer.
 */
export class LeasePool {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #current = new Map<number, { readonly id: Promise<number>; readonly until: number }>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The lease for an object that lives so many seconds; undefined for one that stays. */
  async lease(ttl: number | undefined): Promise<number | undefined> {
    if (ttl === undefined || ttl <= 0) return undefined;
    const shared = Math.min(sharedMs, ttl * 50);
    const now = this.#clock.monotonic();
    const current = this.#current.get(ttl);
    if (current !== undefined && now < current.until) return await current.id;
    const id = this.#store.grantLease(ttl * 1000 + shared).then((lease) => lease.id);
    this.#current.set(ttl, { id, until: now + shared });
    try {
      return await id;
    } catch (error) {
      this.#current.delete(ttl);
      throw error;
    }
  }
}
