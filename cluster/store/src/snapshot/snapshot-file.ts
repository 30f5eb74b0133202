import { createHash } from "node:crypto";
import { StoreError } from "../store-error.ts";
import type { KeyValue, Store } from "../types.ts";

/** What a snapshot says of itself. */
export interface SnapshotSummary {
  /** The revision whose state it holds. */
  readonly revision: number;
  readonly keys: number;
  /** SHA-256 of all that is before it, in hexadecimal. */
  readonly hash: string;
}

/** So many keys are read of the store at a time. */
const pageKeys = 500;
const magic = Buffer.from("kedge snapshot 1\n");
/** In the place of the length of a key: no more follow. */
const endMark = 0xffff_ffff;
const recordHead = 4 + 4 + 3 * 8;
const hashBytes = 32;

/**
 * The state of a store at its newest revision, as the bytes of a file: a record for each key, then how many there are, then
 * a checksum of it all. Keys that go by themselves (events) are left out: their leases do not live longer than they.
 */
export async function* snapshotOf(store: Store): AsyncGenerator<Uint8Array, undefined> {
  const hash = createHash("sha256");
  const hashed = (bytes: Uint8Array): Uint8Array => {
    hash.update(bytes);
    return bytes;
  };
  const { revision } = await store.range({ prefix: "" }, { limit: 0 });
  const head = Buffer.alloc(8);
  head.writeDoubleBE(revision);
  yield hashed(Buffer.concat([magic, head]));
  let keys = 0;
  for (let start = ""; ;) {
    const page = await store.range({ start, end: lastKey }, { revision, limit: pageKeys });
    const kept = page.items.filter(({ lease }) => lease === 0);
    keys += kept.length;
    if (kept.length > 0) yield hashed(Buffer.concat(kept.map(recordOf)));
    const last = page.items.at(-1);
    if (last === undefined || !page.more) break;
    start = `${last.key}\0`;
  }
  const end = Buffer.alloc(8);
  end.writeUInt32BE(endMark);
  end.writeUInt32BE(keys, 4);
  yield hashed(end);
  yield hash.digest();
  return undefined;
}

/** Behind all keys of ours. */
const lastKey = "\u{10ffff}";

/**
 * Reads a snapshot piece by piece, and calls back for each key. Throws `DAMAGED` when it is not whole, or not what was
 * written: only then it is known, so nothing may be made of the keys for good before.
 */
export async function readSnapshot(
  bytes: AsyncIterable<Uint8Array>,
  onKey: (item: KeyValue) => Promise<void> | void = () => undefined,
): Promise<SnapshotSummary> {
  const hash = createHash("sha256");
  const source = new Pieces(bytes);
  const take = async (length: number): Promise<Buffer> => {
    const piece = await source.take(length);
    hash.update(piece);
    return piece;
  };
  if (Buffer.compare(await take(magic.length), magic) !== 0)
    throw damagedSnapshot("it does not begin as one");
  const revision = (await take(8)).readDoubleBE();
  let keys = 0;
  for (; ; keys++) {
    const keyLength = (await take(4)).readUInt32BE();
    if (keyLength === endMark) break;
    const head = await take(recordHead - 4);
    const valueLength = head.readUInt32BE();
    if (keyLength > mostBytes || valueLength > mostBytes) throw damagedSnapshot("a record is too long");
    const [key, value] = [await take(keyLength), await take(valueLength)];
    await onKey({
      key: key.toString("utf8"),
      value: new Uint8Array(value),
      createRevision: head.readDoubleBE(4),
      modRevision: head.readDoubleBE(12),
      version: head.readDoubleBE(20),
      lease: 0,
    });
  }
  const counted = (await take(4)).readUInt32BE();
  const expected = hash.digest();
  const found = await source.take(hashBytes);
  if (counted !== keys || Buffer.compare(expected, found) !== 0)
    throw damagedSnapshot("its checksum is not that of its content");
  if (!(await source.isEmpty())) throw damagedSnapshot("there is more behind its end");
  return { revision, keys, hash: expected.toString("hex") };
}

/** More than any key or value has. */
const mostBytes = 64 * 1024 * 1024;

function recordOf({ key, value, createRevision, modRevision, version }: KeyValue): Buffer {
  const name = Buffer.from(key);
  const head = Buffer.alloc(recordHead);
  head.writeUInt32BE(name.length);
  head.writeUInt32BE(value.length, 4);
  head.writeDoubleBE(createRevision, 8);
  head.writeDoubleBE(modRevision, 16);
  head.writeDoubleBE(version, 24);
  return Buffer.concat([head, name, value]);
}

function damagedSnapshot(why: string): StoreError {
  return new StoreError("DAMAGED", `the snapshot is damaged: ${why}`);
}

/** Bytes in the sizes in which they are wanted. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    const parts = [this.#rest];
    let size = this.#rest.length;
    while (size < length) {
      const next = await this.#source.next();
      if (next.done === true) throw damagedSnapshot("it ends too early");
      parts.push(Buffer.from(next.value));
      size += next.value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }

  async isEmpty(): Promise<boolean> {
    return this.#rest.length === 0 && (await this.#source.next()).done === true;
  }
}
