/** What a server answers: an error is a value here, because a ledger has to count it. */
export type Reply = string | number | null | ServerError | readonly Reply[];

/** An answer that begins with a minus: `READONLY You can't write against a read only replica.` */
export class ServerError extends Error {
  /** The first word of it. */
  get code(): string {
    return this.message.split(" ", 1)[0] ?? "";
  }
}

/** Whether a reply is a list of others. */
export function isList(reply: Reply): reply is readonly Reply[] {
  return Array.isArray(reply);
}

/** A command as it goes over the wire. */
export function encode(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join("")}`;
}

/**
 * Makes replies of bytes, which come in any pieces. The tests' own, apart from the operator's: what judges must not share
 * its mistakes.
 */
export class ReplyReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The replies that are whole now. */
  read(chunk: Buffer): readonly Reply[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const replies: Reply[] = [];
    let at = 0;
    for (;;) {
      const found = parse(this.#rest, at);
      if (found === undefined) break;
      replies.push(found.reply);
      at = found.next;
    }
    this.#rest = this.#rest.subarray(at);
    return replies;
  }
}

interface Parsed {
  readonly reply: Reply;
  readonly next: number;
}

function parse(bytes: Buffer, at: number): Parsed | undefined {
  const end = bytes.indexOf("\r\n", at);
  if (end === -1) return undefined;
  const line = bytes.toString("utf8", at + 1, end);
  const next = end + 2;
  switch (bytes[at]) {
    case 0x2b:
      return { reply: line, next };
    case 0x2d:
      return { reply: new ServerError(line), next };
    case 0x3a:
      return { reply: Number(line), next };
    case 0x24:
      return parseBulk(bytes, next, Number(line));
    case 0x2a:
      return parseList(bytes, next, Number(line));
    default:
      throw new Error(`this is no reply of Redis: ${bytes.toString("latin1", at, end)}`);
  }
}

function parseBulk(bytes: Buffer, at: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, next: at };
  if (bytes.length < at + length + 2) return undefined;
  return { reply: bytes.toString("utf8", at, at + length), next: at + length + 2 };
}

function parseList(bytes: Buffer, at: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, next: at };
  const list: Reply[] = [];
  let next = at;
  for (let index = 0; index < length; index++) {
    const found = parse(bytes, next);
    if (found === undefined) return undefined;
    list.push(found.reply);
    next = found.next;
  }
  return { reply: list, next };
}
