import {
  StoreError,
  type KeyValue,
  type RangeResult,
  type Store,
  type StoreEvent,
  type Watch,
} from "@kedge/store";

/**
 * A store in an etcd that others have used, as if it were new: its revision is 1 now, and all numbers are counted from
 * there. Works while nobody else writes. Starting an etcd for each of a hundred tests would take minutes. Closing it
 * ends the leases that it was used to grant.
 */
export async function shiftedStore(store: Store): Promise<Store> {
  return shifted(store, (await store.revision()) - 1);
}

function shifted(store: Store, shift: number): Store {
  const leases = new Set<number>();
  const up = (revision: number): number => revision + shift;
  const at = <O extends { readonly revision?: number }>(options: O | undefined): O | undefined =>
    options?.revision === undefined ? options : { ...options, revision: up(options.revision) };
  const keyValue = <K extends KeyValue | undefined>(item: K): K =>
    item && { ...item, createRevision: item.createRevision - shift, modRevision: item.modRevision - shift };
  const range = (result: RangeResult): RangeResult => ({
    ...result,
    revision: result.revision - shift,
    items: result.items.map(keyValue),
  });
  const event = (each: StoreEvent): StoreEvent =>
    each.type === "put"
      ? { ...each, current: keyValue(each.current), previous: keyValue(each.previous) }
      : { ...each, modRevision: each.modRevision - shift, previous: keyValue(each.previous) };
  return {
    isShared: true,
    revision: async () => (await store.revision()) - shift,
    get: async (key, options) => keyValue(await store.get(key, at(options))),
    range: async (span, options) => range(await store.range(span, at(options))),
    transaction: async ({ compare = [], ...rest }) => {
      const from = compare.map(({ key, modRevision }) => ({
        key,
        modRevision: modRevision === 0 ? 0 : up(modRevision),
      }));
      const result = await store.transaction({ ...rest, compare: from });
      const revision = result.revision - shift;
      return result.succeeded
        ? { ...result, revision }
        : { ...result, revision, ranges: result.ranges.map(range) };
    },
    watch: (span, options) => {
      const from = options?.from;
      const watch = store.watch(span, { ...options, ...(from !== undefined && { from: up(from) }) });
      const own: Watch = {
        [Symbol.asyncIterator]: () => own,
        next: async () => {
          const { done, value } = await watch.next();
          return done === true
            ? { done, value: undefined }
            : { done: false, value: { revision: value.revision - shift, events: value.events.map(event) } };
        },
        return: () => watch.return(),
        progress: () => watch.progress(),
      };
      return own;
    },
    compact: (revision) => store.compact(up(revision)),
    grantLease: async (ttl) => {
      const lease = await store.grantLease(ttl);
      leases.add(lease.id);
      return lease;
    },
    keepLeaseAlive: (id) => store.keepLeaseAlive(id),
    revokeLease: (id) => store.revokeLease(id),
    fork: async (options) => shifted(await store.fork(at(options)), shift),
    close: async () => {
      for (const id of leases) await store.revokeLease(id).catch(unlessGone);
      leases.clear();
      await store.close();
    },
  };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof StoreError) || error.code !== "LEASE_NOT_FOUND") throw error;
}
