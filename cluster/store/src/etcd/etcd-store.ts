import { silentLogger, type Clock, type Logger, type Random } from "@kedge/machinery";
import { checkTransaction } from "../mvcc/transaction-check.ts";
import { StoreError } from "../store-error.ts";
import type {
  ForkOptions,
  KeyValue,
  Lease,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Span,
  Store,
  Transaction,
  TransactionResult,
  Watch,
  WatchOptions,
} from "../types.ts";
import { storeErrorOf } from "./etcd-error.ts";
import { EtcdWatch } from "./etcd-watch.ts";
import { forkOf } from "./fork.ts";
import { EtcdKeys } from "./keys.ts";
import { EtcdLeases, noSuchLease } from "./leases.ts";
import { Member, type TlsFiles } from "./member.ts";
import { Members, type CallOptions } from "./members.ts";
import { compactionRequest, readTransaction, transactionRequest } from "./messages.ts";
import { checkRevision, RangeReader } from "./range-reader.ts";
import { checkVersion } from "./version.ts";

/** Which etcd, and what stores need everywhere. */
export interface EtcdOptions {
  /** Members of one cluster, as `host:port`. */
  readonly endpoints: readonly string[];
  /** Undefined: without TLS. */
  readonly tls?: TlsFiles | undefined;
  /** What all keys in etcd begin with, so that several stores fit into one. Default: nothing. */
  readonly prefix?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger | undefined;
}

/** Opens a store that an etcd cluster keeps. Throws `UNAVAILABLE` when no member answers, or too few. */
export async function openEtcdStore(options: EtcdOptions): Promise<Store> {
  const { endpoints, tls, clock } = options;
  const members = new Members(
    endpoints.map((endpoint) => new Member(endpoint, tls, clock)),
    clock,
  );
  const store = new EtcdStore(members, options);
  try {
    await checkVersion(members);
    await store.revision();
  } catch (error) {
    members.close();
    throw storeErrorOf(error, `etcd at ${endpoints.join(", ")}`);
  }
  return store;
}

class EtcdStore implements Store {
  readonly isShared = true;
  readonly #members: Members;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #keys: EtcdKeys;
  readonly #ranges: RangeReader;
  readonly #leases: EtcdLeases;
  readonly #watches = new Set<EtcdWatch>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(members: Members, { clock, random, prefix = "", logger = silentLogger }: EtcdOptions) {
    this.#members = members;
    this.#clock = clock;
    this.#logger = logger;
    this.#keys = new EtcdKeys(prefix);
    const call = this.#call.bind(this);
    this.#ranges = new RangeReader(call, this.#keys);
    this.#leases = new EtcdLeases(call, random);
  }

  revision(): Promise<number> {
    return this.#whileOpen(async () => {
      const revision = await this.#ranges.revision();
      for (const watch of this.#watches) watch.expect(revision, true);
      return revision;
    });
  }

  get(key: string, { revision }: ReadOptions = {}): Promise<KeyValue | undefined> {
    return this.#whileOpen(() => this.#ranges.get(key, revision));
  }

  range(span: Span, options: RangeOptions = {}): Promise<RangeResult> {
    return this.#whileOpen(() => this.#ranges.range(span, options));
  }

  transaction(transaction: Transaction): Promise<TransactionResult> {
    return this.#whileOpen(async () => {
      checkTransaction(transaction, () => undefined);
      await this.#watchesStarted();
      const { compare = [], success, failure = [] } = transaction;
      const ranges = failure.map((span) => this.#keys.rangeOf(span) ?? nothing);
      const message = transactionRequest({ compare, success, failure: ranges, writeKey: this.#keys.write });
      return await this.#write(transaction, message);
    });
  }

  async #write(transaction: Transaction, message: Uint8Array): Promise<TransactionResult> {
    try {
      const repeatable = transaction.success.length === 0;
      const answer = await this.#call("/etcdserverpb.KV/Txn", message, { repeatable });
      const { succeeded, revision, ranges } = readTransaction(answer, this.#keys.read);
      for (const watch of this.#watches) watch.expect(revision, false);
      if (succeeded) return { succeeded, revision };
      const read = ranges.map(({ items, count }) => ({ revision, items, count, more: count > items.length }));
      return { succeeded, revision, ranges: read };
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "LEASE_NOT_FOUND") throw error;
      throw noSuchLease(leasesOf(transaction).join(" or "), error);
    }
  }

  watch(span: Span, { from, signal }: WatchOptions = {}): Watch {
    this.#assertOpen();
    const stop = (): void => watch.end();
    const watch = new EtcdWatch({
      members: this.#members,
      clock: this.#clock,
      logger: this.#logger,
      range: this.#keys.rangeOf(span) ?? nothing,
      readKey: this.#keys.read,
      from: firstRevision(from, () => this.#ranges.revision()),
      newest: () => this.#ranges.revision(),
      onEnd: (ended) => {
        this.#watches.delete(ended);
        signal?.removeEventListener("abort", stop);
      },
    });
    this.#watches.add(watch);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    return watch;
  }

  compact(revision: number): Promise<void> {
    return this.#whileOpen(async () => {
      checkRevision(revision);
      await this.#watchesStarted();
      try {
        await this.#call("/etcdserverpb.KV/Compact", compactionRequest(revision), { repeatable: true });
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== "COMPACTED") throw error;
        // That the oldest revision which is kept is asked for again is no failure.
        await this.#ranges.range({ prefix: "" }, { revision, limit: 0 });
      }
      for (const watch of this.#watches) watch.compacted(revision);
    });
  }

  grantLease(ttl: number): Promise<Lease> {
    return this.#whileOpen(() => this.#leases.grant(ttl));
  }

  keepLeaseAlive(id: number): Promise<Lease> {
    return this.#whileOpen(() => this.#leases.keepAlive(id));
  }

  revokeLease(id: number): Promise<void> {
    return this.#whileOpen(async () => {
      await this.#watchesStarted();
      await this.#leases.revoke(id);
    });
  }

  fork({ clock = this.#clock, ...at }: ForkOptions = {}): Promise<Store> {
    return this.#whileOpen(async () => {
      const state = await this.#ranges.range({ prefix: "" }, at);
      return await forkOf(state, { leases: this.#leases, clock });
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Whoever began them has been told if they failed.
    await Promise.allSettled(this.#underWay);
    for (const watch of this.#watches) watch.end(new StoreError("CLOSED", "the store has been closed"));
    this.#members.close();
  }

  async #call(path: string, message: Uint8Array, options: CallOptions): Promise<Uint8Array> {
    try {
      return await this.#members.call(path, message, options);
    } catch (error) {
      throw storeErrorOf(error, "etcd");
    }
  }

  /** Does something that closing waits for. */
  async #whileOpen<T>(act: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    const work = act();
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** A watch without `from` shows what is written after it was asked for, though etcd may not know of it yet. */
  async #watchesStarted(): Promise<void> {
    const starting = [...this.#watches].filter(({ isStarted }) => !isStarted);
    if (starting.length > 0) await Promise.all(starting.map(({ started }) => started));
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError("CLOSED", "the store has been closed");
  }
}

/** A range in which no key can be. */
const nothing = { start: Uint8Array.of(0), end: Uint8Array.of(0, 0) };

async function firstRevision(from: number | undefined, newest: () => Promise<number>): Promise<number> {
  if (from === undefined) return (await newest()) + 1;
  if (!Number.isSafeInteger(from)) throw new StoreError("INVALID", `from: ${from}: must be a whole number`);
  checkRevision(from);
  return from;
}

function leasesOf({ success }: Transaction): readonly number[] {
  const ids = success.flatMap((write) =>
    write.type === "put" && (write.lease ?? 0) !== 0 ? [write.lease ?? 0] : [],
  );
  return [...new Set(ids)];
}
