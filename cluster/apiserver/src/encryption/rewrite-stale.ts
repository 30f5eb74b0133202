import { Turns, type Clock } from "@kedge/machinery";
import type { Store } from "@kedge/store";
import type { Transformer } from "./transformer.ts";

/** So many keys are read at a time. */
const page = 500;

/**
 * Writes again what is not stored as it would be now: after a first key, a new key, or none any more. What somebody else
 * changes meanwhile is written by them. Gives how many were written.
 */
export async function rewriteStale(
  store: Store,
  transformer: Transformer,
  { root, clock }: { readonly root: string; readonly clock: Clock },
): Promise<number> {
  const turns = new Turns(clock);
  const end = `${root.slice(0, -1)}0`;
  let written = 0;
  for (let start = root; ;) {
    const { items, more } = await store.range({ start, end }, { limit: page });
    for (const { key, value: stored, modRevision, lease } of items) {
      const { value, isStale } = transformer.fromStore(key, stored);
      if (!isStale) continue;
      const result = await store.transaction({
        compare: [{ key, modRevision }],
        success: [{ type: "put", key, value: transformer.toStore(key, value), lease }],
      });
      if (result.succeeded) written++;
    }
    const last = items.at(-1);
    if (last === undefined || !more) return written;
    start = `${last.key}\0`;
    await turns.next();
  }
}
