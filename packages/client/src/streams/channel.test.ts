import { assert, constantFrom, integer, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import {
  channel,
  channelProtocol,
  decodeFrame,
  encodeAll,
  encodeData,
  encodeEnd,
  encodeResize,
  type Frame,
} from "./channel.ts";

const { v4, v5 } = channelProtocol;

describe("the channel protocol", () => {
  test("what is encoded is decoded the same, on every channel of both versions", () => {
    const anyData = uint8Array({ maxLength: 200 });
    assert(
      property(integer({ min: 0, max: 254 }), anyData, constantFrom(v4, v5), (number, data, protocol) => {
        expect(decodeFrame(encodeData(number, data), protocol)).toEqual({
          type: "data",
          channel: number,
          data,
        });
      }),
    );
  });

  const table: { name: string; message: number[]; protocol: string; frame: Frame | undefined }[] = [
    { name: "an empty message says nothing", message: [], protocol: v5, frame: undefined },
    { name: "a channel alone is no data", message: [1], protocol: v5, frame: dataFrame(1) },
    { name: "stdout", message: [1, 104, 105], protocol: v5, frame: dataFrame(1, 104, 105) },
    {
      name: "in v5, 255 ends a channel",
      message: [255, 0],
      protocol: v5,
      frame: { type: "end", channel: 0 },
    },
    { name: "in v4, 255 is a channel like all", message: [255, 0], protocol: v4, frame: dataFrame(255, 0) },
  ];
  test.each(table)("$name", ({ message, protocol, frame }) => {
    expect(decodeFrame(Uint8Array.from(message), protocol)).toEqual(frame);
  });

  test.each([[[255]], [[255, 0, 1]]])(
    "the close message %j names not one channel and is refused",
    (message) => {
      expect(() => decodeFrame(Uint8Array.from(message), v5)).toThrow(
        "a close message must name one channel",
      );
    },
  );

  test("the end of stdin", () => {
    expect(encodeEnd(channel.stdin)).toEqual(Uint8Array.of(255, 0));
  });

  test("long data goes in messages of 64 KiB, which together are the data; no data goes in none", () => {
    const all = new Uint8Array(150_000).map((_, index) => index % 251);
    const messages = [...encodeAll(channel.stdin, all)];
    expect(messages.map((message) => message.length - 1)).toEqual([65_536, 65_536, 18_928]);
    expect(messages.every(([first]) => first === 0)).toBe(true);
    expect(Buffer.concat(messages.map((message) => message.subarray(1))).equals(all)).toBe(true);
    expect([...encodeAll(channel.stdin, new Uint8Array())]).toEqual([]);
  });

  test("the size of a terminal is JSON with Go's names", () => {
    const frame = decodeFrame(encodeResize(80, 25), v5);
    expect(frame).toMatchObject({ type: "data", channel: 4 });
    expect(Buffer.from(encodeResize(80, 25)).toString("utf8", 1)).toBe('{"Width":80,"Height":25}');
  });

  test.each([
    { columns: -1, rows: 25, text: "resize: columns is -1: must be a whole number between 0 and 65535" },
    { columns: 80, rows: 1.5, text: "resize: rows is 1.5: must be a whole number between 0 and 65535" },
    { columns: 80, rows: 65_536, text: "resize: rows is 65536: must be a whole number between 0 and 65535" },
  ])("$text", ({ columns, rows, text }) => {
    expect(() => encodeResize(columns, rows)).toThrow(text);
  });
});

function dataFrame(number: number, ...bytes: number[]): Frame {
  return { type: "data", channel: number, data: Uint8Array.from(bytes) };
}
