import type { Clock, Timer } from "@kedge/machinery";
import { StoreError } from "../store-error.ts";
import type { Lease } from "../types.ts";
import { keyOfChange, type Change } from "./changes.ts";
import type { RecoveredLease } from "./journal.ts";

interface LeaseInUse {
  readonly lease: Lease;
  readonly keys: Set<string>;
  timer: Timer;
  /** On the clock's monotonic time. */
  due: number;
}

/** Which keys hang on which lease, and when it runs out. */
export class Leases {
  readonly #clock: Clock;
  readonly #onExpiry: (id: number) => void;
  readonly #leases = new Map<number, LeaseInUse>();

  constructor(clock: Clock, onExpiry: (id: number) => void) {
    this.#clock = clock;
    this.#onExpiry = onExpiry;
  }

  add(lease: Lease, remaining: number = lease.ttl): void {
    this.#leases.set(lease.id, { lease, keys: new Set(), ...this.#start(lease.id, remaining) });
  }

  keepAlive(id: number): Lease {
    const held = this.get(id);
    held.timer.cancel();
    Object.assign(held, this.#start(id, held.lease.ttl));
    return held.lease;
  }

  /** Forgets a lease, and returns it with the keys that hung on it. */
  remove(id: number): { readonly lease: Lease; readonly keys: readonly string[] } {
    const { timer, lease, keys } = this.get(id);
    timer.cancel();
    this.#leases.delete(id);
    return { lease, keys: [...keys] };
  }

  get(id: number): LeaseInUse {
    const held = this.#leases.get(id);
    if (held === undefined)
      throw new StoreError("LEASE_NOT_FOUND", `lease ${id} does not exist or has run out`);
    return held;
  }

  /** Moves keys between leases as writes say. */
  follow(changes: readonly Change[]): void {
    for (const change of changes) {
      const key = keyOfChange(change);
      this.#leases.get(change.previous?.lease ?? 0)?.keys.delete(key);
      if (change.type === "put") this.#leases.get(change.current.lease)?.keys.add(key);
    }
  }

  /** Moves keys back. */
  undo(changes: readonly Change[]): void {
    for (const change of changes.toReversed()) {
      const key = keyOfChange(change);
      if (change.type === "put") this.#leases.get(change.current.lease)?.keys.delete(key);
      this.#leases.get(change.previous?.lease ?? 0)?.keys.add(key);
    }
  }

  /** The leases with the time that each has left. */
  remaining(): readonly RecoveredLease[] {
    const now = this.#clock.monotonic();
    return [...this.#leases.values()].map(({ lease, due }) => ({
      ...lease,
      remaining: Math.max(0, due - now),
    }));
  }

  stop(): void {
    for (const { timer } of this.#leases.values()) timer.cancel();
  }

  #start(id: number, ms: number): Pick<LeaseInUse, "timer" | "due"> {
    return { timer: this.#clock.timer(ms, () => this.#onExpiry(id)), due: this.#clock.monotonic() + ms };
  }
}
