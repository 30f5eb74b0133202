import { ClientError } from "../client-error.ts";
import { closeBracket, comma, endOfNested, openBrace, openBracket, skipSpace } from "./json-bytes.ts";
import { textWithoutCut, type ParseOptions } from "./parse-object.ts";
import { scanObject, type ObjectScan } from "./scan-object.ts";
import { topLevelMember } from "./top-level-member.ts";

/**
 * Reads a list of any size from its chunks: each item is parsed as soon as its bytes are there and the bytes are let
 * go, so that neither the text nor the tree of the whole list is ever in memory.
 */
export class ListReader {
  readonly #drop: boolean;
  readonly #scan: ObjectScan = { end: -1, cutFrom: -1, cutTo: -1 };
  /** Everything but the items: their place is left empty. */
  #frame = "";
  #state: "before" | "items" | "after" = "before";
  #pending: Buffer = Buffer.alloc(0);
  /** A large item is looked at again only when twice as much of it is there, or it would be scanned too often. */
  #enough = 0;

  constructor(options: ParseOptions = {}) {
    this.#drop = options.dropManagedFields === true;
  }

  /** Takes the next chunk; hands out the items that it completes. */
  push(chunk: Uint8Array, onItem: (item: unknown) => void): void {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#pending = this.#pending.length === 0 ? buffer : Buffer.concat([this.#pending, buffer]);
    if (this.#pending.length < this.#enough) return;
    this.#advance(onItem);
  }

  /** Ends the list; gives everything but its items, which stand there as an empty array. */
  end(onItem: (item: unknown) => void): Record<string, unknown> {
    this.#enough = 0;
    this.#advance(onItem);
    if (this.#state === "items")
      throw new ClientError("PROTOCOL", "the list ends in the middle of its items");
    const frame: unknown = JSON.parse(this.#frame + this.#pending.toString("utf8"));
    if (typeof frame !== "object" || frame === null || Array.isArray(frame)) {
      throw new ClientError("PROTOCOL", "the answer is not a list: it is not a JSON object");
    }
    return { ...frame };
  }

  #advance(onItem: (item: unknown) => void): void {
    if (this.#state === "before") this.#findItems();
    if (this.#state === "items") this.#takeItems(onItem);
  }

  /** The text up to and including `"items":[`; its key stands at depth 1. */
  #findItems(): void {
    const value = topLevelMember(this.#pending, itemsKey);
    if (value === -1 || this.#pending[value] !== openBracket) {
      this.#enough = this.#pending.length * 2;
      return;
    }
    const begin = value + 1;
    this.#enough = 0;
    this.#frame = this.#pending.toString("utf8", 0, begin);
    this.#pending = this.#pending.subarray(begin);
    this.#state = "items";
  }

  #takeItems(onItem: (item: unknown) => void): void {
    const bytes = this.#pending;
    let at = 0;
    for (;;) {
      at = skipSeparators(bytes, at);
      if (at === bytes.length) break;
      if (bytes[at] === closeBracket) {
        this.#state = "after";
        break;
      }
      if (bytes[at] !== openBrace)
        throw new ClientError("PROTOCOL", "a list has an item that is not an object");
      const end = this.#endOfItem(bytes, at);
      if (end === -1) break;
      onItem(
        JSON.parse(this.#drop ? textWithoutCut(bytes, at, end, this.#scan) : bytes.toString("utf8", at, end)),
      );
      at = end;
    }
    this.#pending = bytes.subarray(at);
    this.#enough = this.#state === "items" ? this.#pending.length * 2 : 0;
  }

  #endOfItem(bytes: Buffer, start: number): number {
    if (!this.#drop) return endOfNested(bytes, start);
    scanObject(bytes, start, this.#scan);
    return this.#scan.end;
  }
}

const itemsKey = new TextEncoder().encode("items");

function skipSeparators(bytes: Uint8Array, start: number): number {
  let i = skipSpace(bytes, start);
  while (bytes[i] === comma) i = skipSpace(bytes, i + 1);
  return i;
}
