import { createHash } from "node:crypto";
import { array, assert, integer, property, string, tuple, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { headerDictionary } from "./dictionary.ts";
import { FrameReader, FrameWriter, type SpdyFrame } from "./frames.ts";
import { SpdyError } from "./spdy-error.ts";

it("the dictionary is that of the specification", () => {
  const sum = createHash("sha256").update(headerDictionary()).digest("hex");
  expect(sum).toBe("51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02");
});

it("reads what a Go client sends: headers packed with the dictionary", () => {
  // Recorded from kubectl 1.36: its first stream for `port-forward`.
  const reader = new FrameReader();
  const frames = [...reader.read(recorded)];
  expect(frames).toEqual([
    {
      type: "open",
      stream: 1,
      headers: new Map([
        ["streamtype", "error"],
        ["port", "6379"],
        ["requestid", "0"],
      ]),
      end: false,
    },
  ]);
});

describe("whatever is written", () => {
  const id = integer({ min: 1, max: 0x7f_ff_ff_ff });
  const words = array(tuple(string({ minLength: 1, maxLength: 20 }), string({ maxLength: 50 })), {
    maxLength: 5,
  });

  it("is read again, in whatever pieces it comes", () => {
    assert(
      property(
        array(tuple(id, words, uint8Array({ maxLength: 100_000 })), { maxLength: 5 }),
        array(integer({ min: 1, max: 5000 }), { minLength: 1 }),
        (streams, sizes) => {
          const writer = new FrameWriter();
          const sent = Buffer.concat(
            streams.flatMap(([stream, headers, data]) => [
              writer.open(stream, headers),
              ...writer.data(stream, data),
              writer.ping(stream),
              writer.end(stream),
              writer.reset(stream, 5),
              writer.leave(stream),
            ]),
          );
          const got = collect(inPieces(sent, sizes));
          expect(got).toEqual(
            streams.flatMap(([stream, headers, data]) => [
              `open ${stream} ${JSON.stringify([...new Map(headers.map(([a, b]) => [a.toLowerCase(), b]))])}`,
              ...(data.length === 0 ? [] : [`data ${stream} ${Buffer.from(data).toString("hex")}`]),
              `ping ${stream}`,
              `end ${stream}`,
              `reset ${stream}`,
              `leave ${stream}`,
            ]),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it("garbage is read as frames or refused with a reason, never anything else", () => {
    assert(
      property(uint8Array({ maxLength: 2000 }), (garbage) => {
        refusedOrRead(garbage);
        // With the head of a control frame the garbage goes deeper.
        const type = (garbage[0] ?? 0) % 10;
        refusedOrRead(
          Buffer.concat([Buffer.from([0x80, 3, 0, type, 0, 0, 4, 0]), garbage, Buffer.alloc(1024)]),
        );
      }),
      { numRuns: 500 },
    );
  });
});

it("a header block that unpacks to more than it may is refused", () => {
  const bomb = new FrameWriter().open(1, [["a", "x".repeat(10_000_000)]]);
  expect(bomb.length).toBeLessThan(32 * 1024);
  expect(() => [...new FrameReader().read(bomb)]).toThrow(/cannot be unpacked/u);
});

it("a control frame that is too long is refused at its head", () => {
  const head = Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff]);
  expect(() => [...new FrameReader().read(head)]).toThrow(/too long/u);
});

function refusedOrRead(bytes: Uint8Array): void {
  try {
    for (const frame of new FrameReader().read(bytes)) expect(frame.type).toBeTypeOf("string");
  } catch (error) {
    if (!(error instanceof SpdyError)) throw error;
  }
}

function* inPieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer, void, undefined> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Frames as texts, data that came in pieces put together. */
function collect(pieces: Iterable<Buffer>): string[] {
  const reader = new FrameReader();
  const texts: string[] = [];
  let last: Extract<SpdyFrame, { type: "data" }> | undefined;
  for (const piece of pieces) {
    for (const frame of reader.read(piece)) {
      if (frame.type === "data" && frame.data.length > 0) {
        const hex = Buffer.from(frame.data).toString("hex");
        if (last?.stream === frame.stream && !last.end) texts.push(`${texts.pop() ?? ""}${hex}`);
        else texts.push(`data ${frame.stream} ${hex}`);
        last = frame;
        continue;
      }
      last = undefined;
      if (frame.type === "data") texts.push(`end ${frame.stream}`);
      else if (frame.type === "open")
        texts.push(`open ${frame.stream} ${JSON.stringify([...frame.headers])}`);
      else if (frame.type === "ping") texts.push(`ping ${frame.id}`);
      else if (frame.type === "reset") texts.push(`reset ${frame.stream}`);
      else if (frame.type === "leave") texts.push(`leave ${frame.lastStream}`);
    }
  }
  return texts;
}

const recorded = Buffer.from(
  "gAMAAQAAAD4AAAABAAAAAAAAePnjxqfCAiU6cDorKUpNzIUWJaypoICGFMtF4BxgZmxuycDAwFkEicZMUPJmNAAAAAD//w==",
  "base64",
);
