/** The channel protocols of exec, attach and port-forward: messages that begin with the number of their stream. */
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

/** Data that is longer is sent in pieces, so that no side has to hold much at once. */
const maxDataBytes = 32 * 1024;

/** What one message says. */
export type Frame =
  | { readonly type: "data"; readonly channel: number; readonly data: Uint8Array }
  | { readonly type: "end"; readonly channel: number }
  /** A message about an end that does not name one channel. */
  | { readonly type: "malformed" };

/** Reads one message; undefined when it is empty, which says nothing. The data is a view into the message. */
export function decodeFrame(message: Uint8Array, protocol: string): Frame | undefined {
  const [first, ended] = message;
  if (first === undefined) return undefined;
  if (first !== closeChannel || protocol !== channelProtocol.v5)
    return { type: "data", channel: first, data: message.subarray(1) };
  return ended === undefined || message.length !== 2
    ? { type: "malformed" }
    : { type: "end", channel: ended };
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

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The message that tells a terminal its new size. */
export function encodeResize({ columns, rows }: TerminalSize): Uint8Array {
  return encodeData(
    channel.resize,
    new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows })),
  );
}

/** Reads the data of such a message; undefined when it says no size that a terminal can have. */
export function decodeResize(data: Uint8Array): TerminalSize | undefined {
  try {
    const size: unknown = JSON.parse(new TextDecoder().decode(data));
    if (typeof size !== "object" || size === null || !("Width" in size) || !("Height" in size))
      return undefined;
    const { Width: columns, Height: rows } = size;
    return isCount(columns) && isCount(rows) ? { columns, rows } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}
