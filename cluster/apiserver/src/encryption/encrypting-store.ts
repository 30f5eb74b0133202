import type { KeyValue, RangeResult, Store, StoreEvent, Watch, Write } from "@kedge/store";
import type { Transformer } from "./transformer.ts";

/** A store whose values are transformed on their way: whoever uses it sees them as they are, the other store never does. */
export function encryptingStore(store: Store, transformer: Transformer): Store {
  const read = <K extends KeyValue | undefined>(item: K): K => {
    if (item === undefined) return item;
    const { value } = transformer.fromStore(item.key, item.value);
    // The same bytes stay the same: caches know them by what they are.
    return value === item.value ? item : { ...item, value };
  };
  const readRange = (result: RangeResult): RangeResult => ({ ...result, items: result.items.map(read) });
  const write = (each: Write): Write => {
    if (each.type === "delete") return each;
    const value = transformer.toStore(each.key, each.value);
    return value === each.value ? each : { ...each, value };
  };
  const readEvent = (event: StoreEvent): StoreEvent =>
    event.type === "put"
      ? { ...event, current: read(event.current), previous: read(event.previous) }
      : { ...event, previous: read(event.previous) };
  return {
    isShared: store.isShared,
    revision: () => store.revision(),
    get: async (key, options) => read(await store.get(key, options)),
    range: async (span, options) => readRange(await store.range(span, options)),
    transaction: async (transaction) => {
      const result = await store.transaction({ ...transaction, success: transaction.success.map(write) });
      return result.succeeded ? result : { ...result, ranges: result.ranges.map(readRange) };
    },
    watch: (span, options) => decrypted(store.watch(span, options), readEvent),
    compact: (revision) => store.compact(revision),
    grantLease: (ttl) => store.grantLease(ttl),
    keepLeaseAlive: (id) => store.keepLeaseAlive(id),
    revokeLease: (id) => store.revokeLease(id),
    fork: async (options) => encryptingStore(await store.fork(options), transformer),
    close: () => store.close(),
  };
}

function decrypted(watch: Watch, readEvent: (event: StoreEvent) => StoreEvent): Watch {
  const own: Watch = {
    [Symbol.asyncIterator]: () => own,
    next: async () => {
      const { done, value } = await watch.next();
      if (done === true) return { done, value: undefined };
      return { done: false, value: { revision: value.revision, events: value.events.map(readEvent) } };
    },
    return: () => watch.return(),
    progress: () => watch.progress(),
  };
  return own;
}
