import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { inBackground, type MessageStream } from "@kedge/machinery";
import { socketStream } from "../streams/socket-stream.ts";
import { nodeUnreachable, streamRefusal } from "./node-failure.ts";
import { beginningOf, tlsOptions, type NodeRequest } from "./node-request.ts";
import type { NodeProxyOptions } from "./types.ts";

/** How long a node may take to open a connection. */
const openPatience = 30_000;

/**
 * Opens a connection to a node that speaks SPDY/3.1; what is said on it is between the client and the node. Throws a
 * `StatusError` when the node cannot be reached or refuses.
 */
export async function openNodeBytes(
  request: NodeRequest,
  protocols: readonly string[],
  options: NodeProxyOptions,
): Promise<MessageStream> {
  const { address, path, signal } = request;
  signal?.throwIfAborted();
  using deadline = options.clock.deadline(openPatience, signal);
  const sent = httpsRequest({
    ...address,
    ...tlsOptions(options, request.insecure),
    path,
    method: "POST",
    agent: false,
    headers: {
      connection: "Upgrade",
      upgrade: "SPDY/3.1",
      "x-stream-protocol-version": [...protocols],
      "content-length": "0",
    },
  });
  const cut = (): void => {
    sent.destroy();
  };
  deadline.signal.addEventListener("abort", cut, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<MessageStream>();
  sent.once("upgrade", (answer: IncomingMessage, socket: Duplex, head: Buffer) => {
    const protocol = String(answer.headers["x-stream-protocol-version"] ?? "");
    signal?.addEventListener("abort", () => socket.destroy(), { once: true });
    if (signal?.aborted === true) socket.destroy();
    resolve(socketStream(socket, { protocol, head, clock: options.clock }));
  });
  sent.once("response", (answer: IncomingMessage) => {
    const refused = async (): Promise<void> =>
      reject(streamRefusal(await beginningOf(answer).catch(() => "")));
    inBackground(refused().finally(cut), reject);
  });
  sent.on("error", (error) => reject(nodeUnreachable(address, error)));
  sent.end();
  try {
    return await options.clock.track(promise);
  } catch (error) {
    if (deadline.signal.aborted) throw nodeUnreachable(address, deadline.signal.reason);
    throw error;
  } finally {
    deadline.signal.removeEventListener("abort", cut);
  }
}
