import type { IncomingMessage } from "node:http";
import { inBackground, type MessageStream } from "@kedge/machinery";
import { longestMessage, webSocketStream } from "@kedge/machinery/streams";
import { WebSocket } from "ws";
import { nodeUnreachable, streamRefusal } from "./node-failure.ts";
import { beginningOf, tlsOptions, type NodeRequest } from "./node-request.ts";
import type { NodeProxyOptions } from "./types.ts";

/** How long a node may take to open a stream. */
const openPatience = 30_000;

/** Opens a message stream to a node. Throws a `StatusError` when the node cannot be reached or refuses. */
export async function openNodeStream(
  request: NodeRequest,
  protocols: readonly string[],
  options: NodeProxyOptions,
): Promise<MessageStream> {
  const { address, path, signal } = request;
  // Who has gone already needs no stream, and no event would ever end it.
  signal?.throwIfAborted();
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  using deadline = options.clock.deadline(openPatience, signal);
  const ws = new WebSocket(`wss://${host}:${address.port}${path}`, [...protocols], {
    ...tlsOptions(options, request.insecure),
    perMessageDeflate: false,
    maxPayload: longestMessage,
  });
  const cut = (): void => {
    ws.terminate();
  };
  deadline.signal.addEventListener("abort", cut, { once: true });
  try {
    const stream = await options.clock.track(opened(ws, request, options));
    signal?.addEventListener("abort", cut, { once: true });
    return stream;
  } catch (error) {
    if (deadline.signal.aborted) throw nodeUnreachable(address, deadline.signal.reason);
    throw error;
  } finally {
    deadline.signal.removeEventListener("abort", cut);
  }
}

function opened(ws: WebSocket, request: NodeRequest, { clock }: NodeProxyOptions): Promise<MessageStream> {
  return new Promise((resolve, reject) => {
    ws.once("open", () => {
      resolve(webSocketStream(ws, { clock }));
    });
    ws.once("unexpected-response", (_: unknown, answer: IncomingMessage) => {
      inBackground(refusalOf(answer).then(reject), reject);
    });
    ws.on("error", (error) => {
      reject(nodeUnreachable(request.address, error));
    });
  });
}

async function refusalOf(answer: IncomingMessage): Promise<Error> {
  return streamRefusal(await beginningOf(answer).catch(() => ""));
}
