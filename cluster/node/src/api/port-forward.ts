import { inBackground, messageOf, type ServedStream } from "@kedge/machinery";
import { ByteQueue, channelProtocol } from "@kedge/machinery/streams";
import type { SpdySession, SpdyStream } from "../spdy/session.ts";
import { forwardConnection, type ForwardTarget } from "./forward-connection.ts";
import { send } from "./serve-command.ts";

/** The protocol of port-forward over WebSocket: a pair of channels for each port, data and error. */
export const channelForwardProtocols: readonly string[] = [channelProtocol.v4];

/** That of port-forward over SPDY: a pair of streams for each connection. */
export const spdyForwardProtocols: readonly string[] = ["portforward.k8s.io"];

/**
 * Leads the channels of a stream to ports of a pod, one connection each. The protocol knows no end of a single
 * channel: with the first that ends, all do. Never throws.
 */
export async function serveChannelForward(
  stream: ServedStream,
  ports: readonly number[],
  target: ForwardTarget,
): Promise<void> {
  const inboxes = ports.map(() => new ByteQueue());
  stream.gone.addEventListener("abort", () => target.dialer[Symbol.dispose](), { once: true });
  const receive = async (): Promise<void> => {
    for await (const message of stream.messages) {
      const [to = 1] = message;
      const inbox = to % 2 === 0 && message.length > 1 ? inboxes[to / 2] : undefined;
      inbox?.push(message.subarray(1));
      // One that is full holds back all of them: they share a stream.
      await inbox?.room();
    }
  };
  const forward = async (port: number, index: number): Promise<void> => {
    const data = inboxes[index] ?? new ByteQueue();
    const ended = Promise.withResolvers<void>();
    const end = (): void => ended.resolve();
    const write = (bytes: Uint8Array): Promise<void> => send(stream, 2 * index, bytes);
    try {
      const client = { data, write, end, reset: end };
      await Promise.race([forwardConnection(client, port, target), ended.promise]);
    } catch (error) {
      await send(stream, 2 * index + 1, Buffer.from(messageOf(error)));
    }
  };
  try {
    for (const [index, port] of ports.entries()) {
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      await send(stream, 2 * index, number);
      await send(stream, 2 * index + 1, number);
    }
    await Promise.race([receive(), ...ports.map(forward)]);
  } catch {
    // The client has gone.
  } finally {
    // Not only ended: a pod that goes on waiting for an answer must not be waited for.
    for (const inbox of inboxes) inbox.abort(new Error("the client has gone"));
    target.dialer[Symbol.dispose]();
    await stream.close();
  }
}

/** How long the second stream of a connection may take to come after the first. */
const pairPatience = 30_000;

/** Leads pairs of streams to ports of a pod, a connection for each pair. */
export class SpdyForward {
  readonly #target: ForwardTarget;
  readonly #halves = new Map<string, { readonly stream: SpdyStream; readonly timer: { cancel(): void } }>();
  readonly #wait: (ms: number, callback: () => void) => { cancel(): void };

  constructor(target: ForwardTarget, wait: (ms: number, callback: () => void) => { cancel(): void }) {
    this.#target = target;
    this.#wait = wait;
  }

  /** One stream has come: with its other half, the connection is made. */
  add(stream: SpdyStream): void {
    const { headers } = stream;
    const type = headers.get("streamtype");
    const port = Number(headers.get("port"));
    if ((type !== "data" && type !== "error") || !Number.isInteger(port) || port < 1 || port > 65_535) {
      stream.reset();
      return;
    }
    // Very old clients number nothing: they open the stream for errors first, and the other one right after it.
    const key = headers.get("requestid") ?? String(type === "error" ? stream.id : stream.id - 2);
    const other = this.#halves.get(key);
    if (other === undefined) {
      const timer = this.#wait(pairPatience, () => {
        this.#halves.delete(key);
        stream.reset();
      });
      this.#halves.set(key, { stream, timer });
      return;
    }
    if (other.stream.headers.get("streamtype") === type) {
      stream.reset();
      return;
    }
    other.timer.cancel();
    this.#halves.delete(key);
    const [data, error] = type === "data" ? [stream, other.stream] : [other.stream, stream];
    inBackground(this.#forward(data, error, port), () => undefined);
  }

  /** Serves until the client goes. */
  async until(session: SpdySession): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    session.gone.addEventListener("abort", () => resolve(), { once: true });
    if (session.gone.aborted) resolve();
    await promise;
    for (const { timer } of this.#halves.values()) timer.cancel();
    this.#halves.clear();
    this.#target.dialer[Symbol.dispose]();
  }

  async #forward(data: SpdyStream, error: SpdyStream, port: number): Promise<void> {
    try {
      await forwardConnection(data, port, this.#target);
      error.end();
    } catch (failure) {
      await error.write(Buffer.from(messageOf(failure))).catch(() => undefined);
      error.end();
      data.reset();
    }
  }
}
