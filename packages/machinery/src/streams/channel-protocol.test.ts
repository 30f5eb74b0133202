import { assert, constantFrom, integer, property, uint8Array } from "fast-check";
import { expect, it } from "vitest";
import {
  channel,
  channelProtocol,
  decodeFrame,
  decodeResize,
  encodeAll,
  encodeData,
  encodeEnd,
  encodeResize,
} from "./channel-protocol.ts";

const { v4, v5 } = channelProtocol;

it("what is encoded is decoded the same, on every channel of both versions", () => {
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

it.each([
  ["nothing", Uint8Array.of(), v5, undefined],
  [
    "data",
    encodeData(channel.stdout, Uint8Array.of(7)),
    v5,
    { type: "data", channel: 1, data: Uint8Array.of(7) },
  ],
  ["an end", encodeEnd(channel.stdin), v5, { type: "end", channel: 0 }],
  [
    "data of channel 255 in v4",
    Uint8Array.of(255, 0),
    v4,
    { type: "data", channel: 255, data: Uint8Array.of(0) },
  ],
  ["an end of nothing", Uint8Array.of(255), v5, { type: "malformed" }],
  ["an end of two channels", Uint8Array.of(255, 0, 1), v5, { type: "malformed" }],
])("a message says %s", (_name, message, protocol, expected) => {
  expect(decodeFrame(message, protocol)).toEqual(expected);
});

it("long data is sent in pieces, and none for no data", () => {
  const pieces = [...encodeAll(channel.stdout, new Uint8Array(70_000).fill(9))];
  expect(pieces.map(({ length }) => length)).toEqual([32_769, 32_769, 4465]);
  expect(pieces.every(([first]) => first === channel.stdout)).toBe(true);
  expect([...encodeAll(channel.stdout, Uint8Array.of())]).toEqual([]);
});

it("a terminal's size survives the way, and nonsense is none", () => {
  const size = { columns: 80, rows: 24 };
  expect(new TextDecoder().decode(encodeResize(size).subarray(1))).toBe('{"Width":80,"Height":24}');
  const frame = decodeFrame(encodeResize(size), v5);
  expect(frame).toMatchObject({ type: "data", channel: channel.resize });
  const data = (text: string): Uint8Array => new TextEncoder().encode(text);
  expect(frame?.type === "data" ? decodeResize(frame.data) : undefined).toEqual(size);
  for (const text of [
    "",
    "{",
    "null",
    '{"Width":0,"Height":1}',
    '{"Width":80}',
    '{"Width":70000,"Height":1}',
  ])
    expect(decodeResize(data(text))).toBeUndefined();
});
