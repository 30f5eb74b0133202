import type { Span } from "../types.ts";
import type { Key, KeyRange } from "./messages.ts";

/** Our keys in an etcd that may hold those of others: all of ours begin with a prefix of their own. */
export class EtcdKeys {
  readonly #prefix: string;
  readonly #prefixBytes: number;

  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#prefixBytes = Buffer.byteLength(prefix);
  }

  readonly write = (key: string): Key => Buffer.from(`${this.#prefix}${key}`);

  readonly read = (key: Key): string =>
    Buffer.from(key.buffer, key.byteOffset, key.length).toString("utf8", this.#prefixBytes);

  /** Undefined when nothing can be in the span. */
  rangeOf(span: Span): KeyRange | undefined {
    if ("prefix" in span) {
      const start = this.write(span.prefix);
      return start.length === 0 ? everything : { start, end: afterPrefix(start) };
    }
    const [start, end] = [this.write(span.start), this.write(span.end)];
    if (Buffer.compare(start, end) >= 0) return undefined;
    return { start: start.length === 0 ? everything.start : start, end };
  }
}

const everything: KeyRange = { start: Uint8Array.of(0), end: Uint8Array.of(0) };

/** The first key that does not begin with a prefix any more. */
function afterPrefix(prefix: Key): Key {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  if (last === -1) return everything.end;
  const end = Uint8Array.from(prefix.subarray(0, last + 1));
  end[last] = (end[last] ?? 0) + 1;
  return end;
}
