import { badRequest, type MessageStream, type Status, type StatusError } from "@kedge/machinery";
import { channel, channelProtocol, decodeFrame, encodeData } from "@kedge/machinery/streams";

import { inOldProtocol, oldProtocolOf, spokenForOld } from "./old-channels.ts";

const { v4, v5 }: Readonly<Record<"v4" | "v5", string>> = channelProtocol;

/** What to offer to the node, and what to agree on with the client. */
export interface Agreement {
  readonly offer: readonly string[];
  /** The client's protocol, once the node has chosen its own. */
  readonly choose: (nodeProtocol: string) => string;
}

/**
 * Agrees on a protocol with a client. Nodes older than v5 are offered v4 too; to a client that insists on v5 we speak
 * it for them. Throws a 400 when there is none.
 */
export function agree(protocols: readonly string[]): Agreement {
  const known = [v5, v4].filter((protocol) => protocols.includes(protocol));
  const old = known.length === 0 ? oldProtocolOf(protocols) : undefined;
  if (old !== undefined) return { offer: [spokenForOld], choose: () => old };
  const [best] = known;
  if (best === undefined) throw upgradeRequired(protocols);
  return {
    offer: best === v5 ? [v5, v4] : [v4],
    choose: (nodeProtocol) => (known.includes(nodeProtocol) ? nodeProtocol : best),
  };
}

/** The refusal of whoever comes without an upgrade, or with one to another protocol. */
export function upgradeRequired(protocols: readonly string[]): StatusError {
  const came = protocols.length === 0 ? "none" : protocols.join(", ");
  return badRequest(
    `Upgrade request required: WebSockets with the protocol ${v5}, ${v4} or an older one and SPDY/3.1 are served; offered: ${came}`,
  );
}

/** The node's stream in the client's protocol. In v4 an input cannot be closed alone: that is not passed on. */
export function inProtocol(stream: MessageStream, protocol: string): MessageStream {
  if (stream.protocol === protocol) return stream;
  if (oldProtocolOf([protocol]) !== undefined) return inOldProtocol(stream, protocol);
  return {
    ...stream,
    protocol,
    send: (message) =>
      decodeFrame(message, protocol)?.type === "data" ? stream.send(message) : Promise.resolve(),
  };
}

/** A stream that only tells of a failure and ends: where clients look for it, once the connection is a WebSocket. */
export function failureStream(protocol: string, status: Status): MessageStream {
  const text = new TextEncoder().encode(JSON.stringify(status));
  const stream = {
    protocol: v4,
    messages: once(encodeData(channel.status, text)),
    send: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return oldProtocolOf([protocol]) === undefined ? { ...stream, protocol } : inOldProtocol(stream, protocol);
}

async function* once(message: Uint8Array): AsyncGenerator<Uint8Array> {
  yield message;
}
