import { ClientError } from "./client-error.ts";

/** How `readLines` treats what is longer than a line should be. */
export interface ReadLinesOptions {
  /** Longest line in bytes, without its line feed. 16 MiB unless given. */
  readonly maxLineBytes?: number;
  /** What happens to a longer line: the reading fails (default), or the line comes in pieces of at most that size. */
  readonly overlong?: "fail" | "split";
}

/**
 * Cuts a stream of bytes into lines of text, without their line feeds. What follows the last line feed is a line too,
 * if it is not empty. Bytes that are not UTF-8 become U+FFFD. Leaving the iteration early closes the source.
 */
export function readLines(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<string, void, undefined> {
  return cutLines(source, options, (bytes, start, end) => bytes.toString("utf8", start, end));
}

/** Like `readLines`, but gives the bytes of each line, mostly as a view into the source's chunk. */
export function readByteLines(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Buffer, void, undefined> {
  return cutLines(source, options, (bytes, start, end) => bytes.subarray(start, end));
}

/** Makes a line of the bytes from `start` up to, and without, `end`. */
type MakeLine<Line> = (bytes: Buffer, start: number, end: number) => Line;

async function* cutLines<Line>(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions,
  make: MakeLine<Line>,
): AsyncGenerator<Line, void, undefined> {
  const { maxLineBytes = 16 * 1024 * 1024 } = options;
  // The beginning of a line whose end has not come yet. Kept in pieces: joining them at every chunk would make a long
  // line that comes in small chunks cost the square of its length.
  let pieces: Buffer[] = [];
  let held = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      if (held === 0 && end - start <= maxLineBytes) {
        yield make(bytes, start, end);
      } else {
        const line = Buffer.concat([...pieces, bytes.subarray(start, end)]);
        const from = yield* splitOff(line, options, maxLineBytes, make);
        yield make(line, from, line.length);
        pieces = [];
        held = 0;
      }
      start = end + 1;
    }
    if (start === bytes.length) continue;
    pieces.push(bytes.subarray(start));
    held += bytes.length - start;
    if (held > maxLineBytes) {
      const line = Buffer.concat(pieces);
      const rest = line.subarray(yield* splitOff(line, options, maxLineBytes, make));
      pieces = [rest];
      held = rest.length;
    }
  }
  if (held > 0) yield make(Buffer.concat(pieces), 0, held);
}

const lineFeed = 10;

/** Gives the full pieces of a line that is too long; returns where its rest begins. Cuts depend on the line alone. */
function* splitOff<Line>(
  line: Buffer,
  options: ReadLinesOptions,
  maxBytes: number,
  make: MakeLine<Line>,
): Generator<Line, number, undefined> {
  let start = 0;
  while (line.length - start > maxBytes) {
    if (options.overlong !== "split") throw tooLong(maxBytes);
    const end = Math.max(characterStart(line, start + maxBytes), start + 1);
    yield make(line, start, end);
    start = end;
  }
  return start;
}

function tooLong(maxBytes: number): ClientError {
  return new ClientError(
    "TOO_LARGE",
    `a line of the answer is longer than the ${maxBytes} bytes that are allowed`,
    {
      hint: "this is not the stream of lines that was asked for; if it is, raise maxLineBytes",
    },
  );
}

/** The last place at or before `at` where a UTF-8 character starts; `at` itself when the bytes are not UTF-8. */
function characterStart(bytes: Buffer, at: number): number {
  for (let start = at; start > at - 4; start--) {
    const isContinuation = ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000;
    if (!isContinuation) return start;
  }
  return at;
}
