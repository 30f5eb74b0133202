import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  double,
  integer,
  tuple,
  type Arbitrary,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { readByteLines, readLines, type ReadLinesOptions } from "./read-lines.ts";

describe("readLines", () => {
  const table: { name: string; chunks: string[]; lines: string[] }[] = [
    { name: "nothing gives no line", chunks: [], lines: [] },
    { name: "empty chunks give no line", chunks: ["", ""], lines: [] },
    { name: "a line feed ends a line", chunks: ["a\nb\n"], lines: ["a", "b"] },
    { name: "the last line needs no line feed", chunks: ["a\nb"], lines: ["a", "b"] },
    { name: "empty lines are lines", chunks: ["\n\na\n\n"], lines: ["", "", "a", ""] },
    {
      name: "a line goes over several chunks",
      chunks: ["he", "l", "lo\nwor", "", "ld"],
      lines: ["hello", "world"],
    },
    { name: "the line feed comes alone", chunks: ["a", "\n", "b"], lines: ["a", "b"] },
    { name: "a carriage return is kept", chunks: ["a\r\n"], lines: ["a\r"] },
    { name: "a byte order mark is kept", chunks: ["\uFEFFa\n"], lines: ["\uFEFFa"] },
  ];
  test.each(table)("$name", async ({ chunks, lines }) => {
    expect(await read(chunks.map((chunk) => Buffer.from(chunk)))).toEqual(lines);
  });

  test("a character that is cut by the border of two chunks is whole", async () => {
    const euro = Buffer.from("5 €\n");
    expect(await read([euro.subarray(0, 3), euro.subarray(3, 4), euro.subarray(4)])).toEqual(["5 €"]);
  });

  test("bytes that are not UTF-8 are replaced and do not spoil the next line", async () => {
    expect(await read([Buffer.from([0xff, 10]), Buffer.from("ok\n")])).toEqual(["\uFFFD", "ok"]);
  });

  test("a chunk may be a view into a bigger buffer", async () => {
    const whole = new Uint8Array(Buffer.from("xxa\nbxx"));
    expect(await read([whole.subarray(2, 5)])).toEqual(["a", "b"]);
  });

  test("any chunking gives the lines of the whole text", async () => {
    await assert(
      asyncProperty(chunkedText(), async ({ text, chunks }) => {
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(await read(chunks)).toEqual(expected);
        const byteLines: string[] = [];
        for await (const line of readByteLines(stream(chunks))) byteLines.push(line.toString());
        expect(byteLines).toEqual(expected);
      }),
    );
  });

  test("any chunking splits long lines at the same places, loses nothing and keeps to the limit", async () => {
    await assert(
      asyncProperty(chunkedText(), integer({ min: 4, max: 9 }), async ({ text, chunks }, maxLineBytes) => {
        const options = { maxLineBytes, overlong: "split" } as const;
        const pieces = await read(chunks, options);
        expect(pieces).toEqual(await read([Buffer.from(text)], options));
        expect(pieces.join("")).toBe(text.replaceAll("\n", ""));
        for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxLineBytes);
      }),
    );
  });

  test("bytes that are no characters are split at the limit itself", async () => {
    const pieces = await read([Buffer.alloc(10, 0x80)], { maxLineBytes: 4, overlong: "split" });
    expect(pieces.map((piece) => piece.length)).toEqual([4, 4, 2]);
  });

  test("a line of exactly the limit passes", async () => {
    expect(await read([Buffer.from("1234\n1234")], { maxLineBytes: 4 })).toEqual(["1234", "1234"]);
  });

  test.each([{ chunks: ["12345\n"] }, { chunks: ["12", "345"] }])(
    "a longer line fails: $chunks",
    async ({ chunks }) => {
      const bytes = chunks.map((chunk) => Buffer.from(chunk));
      await expect(read(bytes, { maxLineBytes: 4 })).rejects.toMatchObject({
        code: "TOO_LARGE",
        message: "a line of the answer is longer than the 4 bytes that are allowed",
      });
    },
  );

  test("lines are given as soon as they are complete", async () => {
    const { promise: never } = Promise.withResolvers<void>();
    async function* stalling(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("first\nsec");
      await never;
    }
    const lines = readLines(stalling());
    expect(await lines.next()).toEqual({ done: false, value: "first" });
  });

  test("leaving early closes the source", async () => {
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from("line\n");
      } finally {
        closed = true;
      }
    }
    for await (const line of readLines(endless())) {
      expect(line).toBe("line");
      break;
    }
    expect(closed).toBe(true);
  });

  test("a failure of the source comes after the lines before it", async () => {
    const lines = readLines(breaking());
    expect(await lines.next()).toEqual({ done: false, value: "a" });
    await expect(lines.next()).rejects.toThrow("cut");
  });
});

async function read(chunks: readonly Uint8Array[], options?: ReadLinesOptions): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(stream(chunks), options)) lines.push(line);
  return lines;
}

async function* stream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("a\nb");
  throw new Error("cut");
}

/** Text with many line feeds and wide characters, cut anywhere, also inside characters, with empty chunks too. */
function chunkedText(): Arbitrary<{ text: string; chunks: Uint8Array[] }> {
  const unit = constantFrom("\n", "\n", "a", "\r", "\0", "é", "€", "😀", "\u2028");
  return tuple(array(unit, { maxLength: 60 }), array(double({ min: 0, max: 1, noNaN: true }))).map(
    ([units, cuts]) => {
      const text = units.join("");
      const bytes = new Uint8Array(Buffer.from(text));
      const places = [0, ...cuts.map((cut) => Math.round(cut * bytes.length)), bytes.length].toSorted(
        (a, b) => a - b,
      );
      return { text, chunks: places.slice(1).map((place, index) => bytes.subarray(places[index], place)) };
    },
  );
}
