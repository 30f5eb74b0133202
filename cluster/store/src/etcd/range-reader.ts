import { StoreError } from "../store-error.ts";
import type { KeyValue, RangeOptions, RangeResult, Span } from "../types.ts";
import type { EtcdKeys } from "./keys.ts";
import type { CallOptions } from "./members.ts";
import { rangeRequest, readRange, type RangeRequest, type RangeResponse } from "./messages.ts";

/** A call whose failures are errors of a store. */
export type EtcdCall = (path: string, message: Uint8Array, options: CallOptions) => Promise<Uint8Array>;

/** A page begins with so many keys; then as many as make about that many bytes. */
const [firstPage, largestPage] = [500, 10_000];
const pageBytes = 4 * 1024 * 1024;

/** Reads keys, those of a large span in pages of one revision. */
export class RangeReader {
  readonly #call: EtcdCall;
  readonly #keys: EtcdKeys;

  constructor(call: EtcdCall, keys: EtcdKeys) {
    this.#call = call;
    this.#keys = keys;
  }

  /** The newest revision, as the majority has it. */
  async revision(): Promise<number> {
    return (await this.#read({ start: this.#keys.write("\0"), countOnly: true })).revision;
  }

  async get(key: string, revision: number | undefined): Promise<KeyValue | undefined> {
    checkRevision(revision);
    // Etcd has no key of this name, and refuses to look.
    if (key === "") return undefined;
    return (await this.#read({ start: this.#keys.write(key), revision: revision ?? 0 })).items[0];
  }

  async range(span: Span, { revision, limit = Infinity }: RangeOptions): Promise<RangeResult> {
    if (!(limit >= 0)) throw new StoreError("INVALID", `limit: ${limit}: must be greater than or equal to 0`);
    checkRevision(revision);
    const range = this.#keys.rangeOf(span);
    if (range === undefined) {
      const none = await this.#read({
        start: this.#keys.write("\0"),
        revision: revision ?? 0,
        countOnly: true,
      });
      return { revision: revision ?? none.revision, items: [], count: 0, more: false };
    }
    if (limit === 0) {
      const { count, revision: newest } = await this.#read({
        ...range,
        revision: revision ?? 0,
        countOnly: true,
      });
      return { revision: revision ?? newest, items: [], count, more: count > 0 };
    }
    return await this.#pages({ ...range, revision: revision ?? 0 }, limit);
  }

  async #pages(range: RangeRequest, limit: number): Promise<RangeResult> {
    const items: KeyValue[] = [];
    let { start, revision = 0 } = range;
    let page = Math.min(limit, firstPage);
    let count: number | undefined;
    for (;;) {
      const read = await this.#read({ ...range, start, revision, limit: page });
      // Of later pages only what is left is counted.
      count ??= read.count;
      if (revision === 0) revision = read.revision;
      let bytes = 0;
      for (const item of read.items) {
        items.push(item);
        bytes += item.value.length;
      }
      const last = read.items.at(-1);
      if (last === undefined || read.count <= read.items.length || items.length >= limit)
        return { revision, items, count, more: count > items.length };
      start = this.#keys.write(`${last.key}\0`);
      const average = Math.max(1, bytes / read.items.length);
      page = Math.max(1, Math.min(limit - items.length, largestPage, Math.floor(pageBytes / average)));
    }
  }

  async #read(request: RangeRequest): Promise<RangeResponse> {
    const path = "/etcdserverpb.KV/Range";
    try {
      const answer = await this.#call(path, rangeRequest(request).finish(), { repeatable: true });
      return readRange(answer, this.#keys.read);
    } catch (error) {
      throw error instanceof StoreError ? withRevision(error, request.revision ?? 0) : error;
    }
  }
}

/** Refuses what is no revision, and what was never one: etcd takes 0 for the newest. */
export function checkRevision(revision: number | undefined): void {
  if (revision === undefined) return;
  if (!Number.isSafeInteger(revision))
    throw new StoreError("INVALID", `revision: ${revision}: must be a whole number`);
  if (revision < 1)
    throw new StoreError("COMPACTED", `revision ${revision} has been compacted: the oldest is 1`);
}

function withRevision(error: StoreError, revision: number): StoreError {
  if (error.code === "COMPACTED")
    return new StoreError("COMPACTED", `revision ${revision} has been compacted`, { cause: error });
  return error.code === "FUTURE_REVISION"
    ? new StoreError("FUTURE_REVISION", `revision ${revision} is yet to come`, { cause: error })
    : error;
}
