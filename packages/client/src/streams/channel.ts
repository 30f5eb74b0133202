import { ClientError } from "../client-error.ts";

/** The channel protocols that we speak: messages that begin with the number of the stream that they belong to. */
export const channelProtocol = {
  /** Can tell that one channel is at its end (stdin). Spoken by API servers since 1.30. */
  v5: "v5.channel.k8s.io",
  /** Cannot. Port-forward has no later one. */
  v4: "v4.channel.k8s.io",
} as const;

/** The channels of exec and attach. */
export const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4 } as const;

/** In v5, a message on this channel says that the channel which its only byte names is at its end. */
const closeChannel = 255;

/** Messages longer than this are sent in pieces, so that no side has to hold much at once. */
const maxDataBytes = 64 * 1024;

/** What one message says. */
export type Frame =
  | { readonly type: "data"; readonly channel: number; readonly data: Uint8Array }
  | { readonly type: "end"; readonly channel: number };

/** Reads one message; undefined when it is empty, which says nothing. The data is a view into the message. */
export function decodeFrame(message: Uint8Array, protocol: string): Frame | undefined {
  const [first] = message;
  if (first === undefined) return undefined;
  if (first !== closeChannel || protocol !== channelProtocol.v5) {
    return { type: "data", channel: first, data: message.subarray(1) };
  }
  const [, ended] = message;
  if (ended === undefined || message.length !== 2) {
    throw new ClientError(
      "PROTOCOL",
      `${protocol}: a close message must name one channel, but it has ${message.length - 1} bytes`,
    );
  }
  return { type: "end", channel: ended };
}

/** A message that carries data, copied. */
export function encodeData(to: number, data: Uint8Array): Uint8Array {
  const message = new Uint8Array(data.length + 1);
  message[0] = to;
  message.set(data, 1);
  return message;
}

/** The messages that carry data of any length; none for no data. */
export function* encodeAll(to: number, data: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < data.length; start += maxDataBytes) {
    yield encodeData(to, data.subarray(start, start + maxDataBytes));
  }
}

/** The message that says that no more comes on a channel. Only v5 has it. */
export function encodeEnd(of: number): Uint8Array {
  return Uint8Array.of(closeChannel, of);
}

/** The message that tells a terminal its new size, in characters. */
export function encodeResize(columns: number, rows: number): Uint8Array {
  for (const [name, value] of Object.entries({ columns, rows })) {
    if (Number.isInteger(value) && value >= 0 && value <= 65_535) continue;
    throw new ClientError("USAGE", `resize: ${name} is ${value}: must be a whole number between 0 and 65535`);
  }
  return encodeData(channel.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
}
