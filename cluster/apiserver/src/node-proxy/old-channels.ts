import { isJsonObject, type MessageStream } from "@kedge/machinery";
import { channel, channelProtocol } from "@kedge/machinery/streams";

/** The channel protocols before v4, and those of clients that cannot send bytes. Without any name it is the first. */
const oldProtocols: ReadonlyMap<string, OldProtocol> = new Map([
  ["", { tellsStatus: false, base64: false }],
  ["channel.k8s.io", { tellsStatus: false, base64: false }],
  ["base64.channel.k8s.io", { tellsStatus: false, base64: true }],
  ["v4.base64.channel.k8s.io", { tellsStatus: true, base64: true }],
]);

interface OldProtocol {
  /** Whether the end is told as a Status. Else a failure is told as a text, and a success not at all. */
  readonly tellsStatus: boolean;
  /** Whether messages are texts: the number of the channel as a digit, then its data in base64. */
  readonly base64: boolean;
}

/** The first of the protocols that is an old one; undefined when there is none. A client may offer nothing at all. */
export function oldProtocolOf(protocols: readonly string[]): string | undefined {
  return protocols.length === 0 ? "" : protocols.find((protocol) => oldProtocols.has(protocol));
}

/** A stream that speaks v4 in an old protocol. */
export function inOldProtocol(stream: MessageStream, protocol: string): MessageStream {
  const { tellsStatus = true, base64 = false } = oldProtocols.get(protocol) ?? {};
  return {
    ...stream,
    protocol,
    messages: outwards(stream.messages, { tellsStatus, base64 }),
    send: (message) => stream.send(base64 ? fromBase64(message) : message),
  };
}

/** What a node is asked for in the place of an old protocol. */
export const spokenForOld: string = channelProtocol.v4;

async function* outwards(
  messages: AsyncIterable<Uint8Array>,
  { tellsStatus, base64 }: OldProtocol,
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    const told = !tellsStatus && message[0] === channel.status ? failureText(message) : message;
    if (told !== undefined) yield base64 ? toBase64(told) : told;
  }
}

/** The text of a failure; undefined for a success. */
function failureText(message: Uint8Array): Uint8Array | undefined {
  const status = parsed(Buffer.from(message.subarray(1)).toString());
  if (!isJsonObject(status)) return message;
  if (status["status"] === "Success") return undefined;
  const { message: text } = status;
  return Buffer.concat([Uint8Array.of(channel.status), Buffer.from(typeof text === "string" ? text : "")]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A message as text: only ten channels have a digit, and no protocol has more. */
export function toBase64(message: Uint8Array): Uint8Array {
  const [to = 0] = message;
  return Buffer.from(`${to}${Buffer.from(message.subarray(1)).toString("base64")}`);
}

function fromBase64(message: Uint8Array): Uint8Array {
  const text = Buffer.from(message).toString("latin1");
  return Buffer.concat([
    Uint8Array.of(Number(text.slice(0, 1)) & 0xff),
    Buffer.from(text.slice(1), "base64"),
  ]);
}
