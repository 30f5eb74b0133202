import { channel, channelProtocol, encodeResize } from "@kedge/machinery/streams";
import { expect, it } from "vitest";
import { readFrame, resizeMessage } from "./channel.ts";

it.each([[[255]], [[255, 0, 1]]])("the close message %j names not one channel and is refused", (message) => {
  expect(() => readFrame(Uint8Array.from(message), channelProtocol.v5)).toThrow(
    "a close message must name one channel",
  );
});

it("other messages are read as they are", () => {
  const data = Uint8Array.of(7);
  expect(readFrame(Uint8Array.of(1, 7), channelProtocol.v5)).toEqual({
    type: "data",
    channel: channel.stdout,
    data,
  });
  expect(readFrame(Uint8Array.of(), channelProtocol.v5)).toBeUndefined();
});

it("a terminal's size is sent when it is one", () => {
  expect(resizeMessage(80, 24)).toEqual(encodeResize({ columns: 80, rows: 24 }));
  for (const [columns, rows] of [
    [-1, 24],
    [80, 1.5],
    [65_536, 24],
  ] as const)
    expect(() => resizeMessage(columns, rows)).toThrow("must be a whole number between 0 and 65535");
});
