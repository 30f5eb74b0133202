import { decodeFrame, encodeResize, type Frame } from "@kedge/machinery/streams";
import { ClientError } from "../client-error.ts";

/** Reads one message of the server; undefined when it is empty, which says nothing. */
export function readFrame(
  message: Uint8Array,
  protocol: string,
): Exclude<Frame, { type: "malformed" }> | undefined {
  const frame = decodeFrame(message, protocol);
  if (frame?.type !== "malformed") return frame;
  const what = `a close message must name one channel, but it has ${message.length - 1} bytes`;
  throw new ClientError("PROTOCOL", `${protocol}: ${what}`);
}

/** The message that tells a terminal its new size, in characters, which the caller chose. */
export function resizeMessage(columns: number, rows: number): Uint8Array {
  for (const [name, value] of Object.entries({ columns, rows })) {
    if (Number.isInteger(value) && value >= 0 && value <= 65_535) continue;
    throw new ClientError("USAGE", `resize: ${name} is ${value}: must be a whole number between 0 and 65535`);
  }
  return encodeResize({ columns, rows });
}
