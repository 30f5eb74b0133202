import type { Clock } from "@kedge/machinery";
import { MvccStore, noJournal } from "../mvcc/mvcc-store.ts";
import type { Store } from "../types.ts";

/** A store that lives as long as the process: for tests and simulation. Leases run on the clock. */
export function createMemoryStore(options: { readonly clock: Clock }): Store {
  return new MvccStore({ clock: options.clock, journal: noJournal });
}
