import { RedisFailure, replyFailure } from "./failure.ts";
import type { Command, Reply } from "./types.ts";

/** A command as RESP2 writes it: an array of bulk strings. */
export function encodeCommands(commands: readonly Command[]): Buffer {
  const parts: string[] = [];
  for (const command of commands) {
    parts.push(`*${command.length}\r\n`);
    for (const word of command) parts.push(`$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  }
  return Buffer.from(parts.join(""));
}

/** The other direction of `encodeCommands`: for servers that are played. */
export function encodeReply(reply: Reply): string {
  if (reply === null) return "$-1\r\n";
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  if (reply instanceof RedisFailure) return `-${reply.message}\r\n`;
  return `*${reply.length}\r\n${reply.map((element) => encodeReply(element)).join("")}`;
}

/** What begins a reply is short, and so are errors and simple strings. */
const longestLine = 8 * 1024;
const deepest = 8;

/**
 * Takes replies of RESP2 out of a stream as they become whole. Work grows with what comes, never with what a length
 * announces. What is too large or no reply at all throws, and nothing can be read after that.
 */
export class ReplyReader {
  readonly #mostBytes: number;
  /** Not read yet: less than a line, or less than a text. */
  #rest: Buffer = Buffer.alloc(0);
  readonly #chunks: Buffer[] = [];
  #held = 0;
  /** How many bytes there must be before another look can find more. */
  #needed = 1;
  /** The text that is being read. */
  #bulk: number | undefined;
  /** Lists that are not full yet, the innermost last. */
  readonly #lists: { readonly elements: Reply[]; readonly length: number }[] = [];
  #bytesOfReply = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Whether a reply has begun and not ended. */
  get isInside(): boolean {
    return this.#held > 0 || this.#bulk !== undefined || this.#lists.length > 0;
  }

  /** Takes bytes in, and gives the replies that are whole now. */
  push(bytes: Buffer): readonly Reply[] {
    this.#chunks.push(bytes);
    this.#held += bytes.length;
    const replies: Reply[] = [];
    if (this.#held < this.#needed) return replies;
    this.#rest = Buffer.concat(this.#chunks);
    this.#chunks.length = 0;
    for (let value = this.#next(); value !== undefined; value = this.#next()) {
      const reply = this.#place(value);
      if (reply === undefined) continue;
      replies.push(reply);
      this.#bytesOfReply = 0;
    }
    this.#held = this.#rest.length;
    if (this.#held > 0) this.#chunks.push(this.#rest);
    return replies;
  }

  /** The next value, or `open` for a list whose elements follow; undefined when it is not whole yet. */
  #next(): Reply | typeof open | undefined {
    if (this.#bulk !== undefined) return this.#text(this.#bulk);
    const end = this.#rest.indexOf("\r\n");
    if (end > longestLine || (end === -1 && this.#rest.length > longestLine)) {
      throw new RedisFailure("PROTOCOL", "a line of a reply has no end");
    }
    this.#needed = this.#rest.length + 1;
    if (end === -1) return undefined;
    const line = this.#take(end).toString();
    const rest = line.slice(1);
    switch (line[0]) {
      case "+":
        return rest;
      case "-":
        return replyFailure(rest);
      case ":":
        return integer(rest);
      case "$": {
        const length = integer(rest);
        return length === -1 ? null : this.#text(length);
      }
      case "*":
        return this.#list(integer(rest));
      default:
        throw new RedisFailure("PROTOCOL", "what came is not a reply of Redis");
    }
  }

  #text(length: number): string | undefined {
    if (length < 0 || length > this.#mostBytes) throw this.#tooLarge();
    this.#bulk = length;
    this.#needed = length + 2;
    if (this.#rest.length < this.#needed) return undefined;
    this.#bulk = undefined;
    return this.#take(length).toString();
  }

  #list(length: number): Reply | typeof open {
    if (length === -1) return null;
    // Each element takes four bytes at least.
    if (length < 0 || length * 4 > this.#mostBytes) throw this.#tooLarge();
    if (length === 0) return [];
    if (this.#lists.length === deepest) throw new RedisFailure("PROTOCOL", "lists in lists are too deep");
    this.#lists.push({ elements: [], length });
    return open;
  }

  /** Cuts off what is read, and the line's end after it. */
  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length + 2);
    this.#bytesOfReply += length + 2;
    if (this.#bytesOfReply > this.#mostBytes) throw this.#tooLarge();
    return taken;
  }

  /** Puts a value into the list that it belongs to; gives the reply when it is whole. */
  #place(value: Reply | typeof open): Reply | undefined {
    if (value === open) return undefined;
    let whole: Reply = value;
    for (let list = this.#lists.at(-1); list !== undefined; list = this.#lists.at(-1)) {
      list.elements.push(whole);
      if (list.elements.length < list.length) return undefined;
      whole = list.elements;
      this.#lists.pop();
    }
    return whole;
  }

  #tooLarge(): RedisFailure {
    return new RedisFailure("TOOLARGE", `a reply has more than ${this.#mostBytes} bytes`);
  }
}

const open = Symbol("the elements of a list follow");

function integer(text: string): number {
  if (!/^[-+]?\d{1,20}$/u.test(text)) throw new RedisFailure("PROTOCOL", "a number of a reply is none");
  return Number(text);
}
