import { once } from "node:events";
import type { Socket } from "node:net";
import { messageOf } from "@kedge/machinery";
import type { PodDialer } from "./pod-dialer.ts";

/** The client's end of one forwarded connection. */
export interface ForwardedStream {
  /** What the client sends; ends when it has sent all, throws when it broke off. */
  readonly data: AsyncIterable<Uint8Array>;
  /** Resolves when it has left our buffers. */
  write(data: Uint8Array): Promise<void>;
  /** The pod has sent all. */
  end(): void;
  /** One of the two ends broke off. */
  reset(): void;
}

/** Where a forwarded connection leads. */
export interface ForwardTarget {
  readonly dialer: PodDialer;
  /** For the words of a refusal. */
  readonly podUid: string;
}

/**
 * Connects a client's stream with a port of a pod until both have sent all, or one broke off. Rejects, in the words of
 * the kubelet, when nobody listens there.
 */
export async function forwardConnection(
  stream: ForwardedStream,
  port: number,
  { dialer, podUid }: ForwardTarget,
): Promise<void> {
  const socket = await dialer.dial(port).catch((error: unknown) => {
    const why = `failed to connect to localhost:${port} inside the pod's network: ${inGo(messageOf(error))}`;
    throw new Error(`error forwarding port ${port} to pod ${podUid}, uid : ${why}`, { cause: error });
  });
  const over = new AbortController();
  socket.once("close", () => over.abort());
  socket.on("error", () => over.abort());
  try {
    await Promise.all([toPod(stream, socket, over.signal), toClient(socket, stream)]);
  } catch {
    // To break off is the right of either end, and nobody's failure.
    stream.reset();
  } finally {
    socket.destroy();
  }
}

async function toPod(stream: ForwardedStream, socket: Socket, over: AbortSignal): Promise<void> {
  for await (const data of stream.data) {
    if (!socket.writable) return;
    if (!socket.write(data)) await once(socket, "drain", { signal: over });
  }
  socket.end();
}

async function toClient(socket: Socket, stream: ForwardedStream): Promise<void> {
  for await (const data of socket) {
    if (data instanceof Uint8Array) await stream.write(data);
  }
  stream.end();
}

/** Who reads it knows it from Kubernetes' own nodes, and may look for these words. */
function inGo(text: string): string {
  return text
    .replaceAll(/connect (E[A-Z]+) ([^\s,]+)/gu, "dial tcp $2: connect: $1")
    .replaceAll("ECONNREFUSED", "connection refused")
    .replaceAll("ENETUNREACH", "network is unreachable")
    .replaceAll("EADDRNOTAVAIL", "cannot assign requested address");
}
