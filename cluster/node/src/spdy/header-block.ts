import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { headerDictionary } from "./dictionary.ts";
import { SpdyError } from "./spdy-error.ts";

/** Names are lower-case. */
export type SpdyHeaders = ReadonlyMap<string, string>;

/** What a header block may be when it is unpacked. A stream's headers are a few words. */
const longestBlock = 64 * 1024;

/** So far back a deflated block may point. */
const windowBytes = 32 * 1024;

/**
 * Reads the header blocks of one connection. They are one zlib stream, of which each block is a piece that ends at a
 * whole byte, as every writer that flushes makes it: so each can be unpacked by itself, with what came before as its
 * dictionary, and never to more than its limit.
 */
export class HeaderReader {
  #window: Buffer | undefined;

  /** Throws a `SpdyError` when the block is none. */
  read(block: Uint8Array): SpdyHeaders {
    const isFirst = this.#window === undefined;
    const before = this.#window ?? headerDictionary();
    const text = inflate(isFirst ? block.subarray(zlibHeaderLength(block)) : block, before);
    this.#window = Buffer.concat([before, text]).subarray(-windowBytes);
    return parse(text);
  }
}

/** Writes the header blocks of one connection, hardly compressed: there are few, and they are short. */
export class HeaderWriter {
  #isFirst = true;

  write(headers: Iterable<readonly [string, string]>): Buffer {
    const deflated = deflateRawSync(encode([...headers]), { finishFlush: constants.Z_SYNC_FLUSH });
    const start = this.#isFirst ? [plainZlibHeader] : [];
    this.#isFirst = false;
    return Buffer.concat([...start, deflated]);
  }
}

/** Deflate with a window of 32 KiB and no dictionary. */
const plainZlibHeader = Buffer.from([0x78, 0x01]);

/** Two bytes, and the four of the dictionary's sum when they say so. */
function zlibHeaderLength(block: Uint8Array): number {
  const [method = 0, flags = 0] = block;
  if ((method & 0x0f) !== 8 || (method * 256 + flags) % 31 !== 0) {
    throw new SpdyError("the first header block is not compressed by zlib");
  }
  return (flags & 0x20) === 0 ? 2 : 6;
}

function inflate(block: Uint8Array, dictionary: Buffer): Buffer {
  try {
    return inflateRawSync(block, {
      dictionary,
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: longestBlock,
    });
  } catch (error) {
    throw new SpdyError(`a header block cannot be unpacked: ${String(error)}`);
  }
}

function encode(headers: readonly (readonly [string, string])[]): Buffer {
  const words = headers.flatMap(([name, value]) => [name.toLowerCase(), value]);
  const parts = words.flatMap((word) => {
    const bytes = Buffer.from(word);
    return [number32(bytes.length), bytes];
  });
  return Buffer.concat([number32(headers.length), ...parts]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function parse(block: Buffer): SpdyHeaders {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError("a header block ends too soon");
    const value = block.readUInt32BE(at);
    at += 4;
    return value;
  };
  const word = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError("a header block ends too soon");
    const text = block.toString("utf8", at, at + length);
    at += length;
    return text;
  };
  const headers = new Map<string, string>();
  for (let left = number(); left > 0; left -= 1) {
    const name = word().toLowerCase();
    headers.set(name, word());
  }
  return headers;
}
