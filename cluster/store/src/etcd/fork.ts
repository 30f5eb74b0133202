import type { Clock } from "@kedge/machinery";
import { History } from "../mvcc/history.ts";
import { MvccStore, noJournal } from "../mvcc/mvcc-store.ts";
import { fromSorted } from "../mvcc/sorted-map.ts";
import type { KeyValue, RangeResult, Store } from "../types.ts";
import type { EtcdLeases } from "./leases.ts";

/** A store in memory with what was read of etcd at one revision, and the leases that it hangs on. */
export async function forkOf(
  { items, revision }: Pick<RangeResult, "items" | "revision">,
  { leases, clock }: { readonly leases: EtcdLeases; readonly clock: Clock },
): Promise<Store> {
  const entries = items.map((item) => ({ ...item, position: 0 }));
  const state = fromSorted(entries.map((value) => ({ key: value.key, value })));
  const ids = [...new Set(items.filter(isLeased).map(({ lease }) => lease))];
  const found = await Promise.all(ids.map((id) => leases.remaining(id)));
  return new MvccStore({
    clock,
    journal: noJournal,
    recovered: {
      history: new History({ revision, changes: [], state }),
      leases: found.filter((lease) => lease !== undefined),
      leased: entries.filter(isLeased),
      lastLease: Math.max(0, ...ids),
    },
  });
}

function isLeased({ lease }: KeyValue): boolean {
  return lease !== 0;
}
