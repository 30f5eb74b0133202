import { inBackground, type Clock, type ServedStream } from "@kedge/machinery";
import {
  ByteQueue,
  channel,
  channelProtocol,
  decodeFrame,
  encodeData,
  encodeEnd,
} from "@kedge/machinery/streams";
import { SpdyError } from "./spdy-error.ts";
import type { SpdySession, SpdyStream } from "./session.ts";

/** The streams of a command, by the number of the channel that they are in the channel protocol. */
const channels: ReadonlyMap<string, number> = new Map([
  ["stdin", channel.stdin],
  ["stdout", channel.stdout],
  ["stderr", channel.stderr],
  ["error", channel.status],
  ["resize", channel.resize],
]);

/** How long a client may take to open the streams that it asked for. */
const openPatience = 30_000;

/** Collects the streams that a client opens for a command. */
export class CommandStreams {
  readonly #streams = new Map<number, SpdyStream>();
  readonly #wanted: ReadonlySet<number>;
  readonly #complete = Promise.withResolvers<void>();

  /** `wanted`: by their names. The one for the status, `error`, is always wanted. */
  constructor(wanted: readonly string[]) {
    this.#wanted = new Set(["error", ...wanted].flatMap((name) => channels.get(name) ?? []));
    this.#complete.promise.catch(() => undefined);
  }

  add(stream: SpdyStream): void {
    const number = channels.get(stream.headers.get("streamtype") ?? "");
    if (number === undefined || !this.#wanted.has(number) || this.#streams.has(number)) {
      stream.reset();
      return;
    }
    this.#streams.set(number, stream);
    if (this.#streams.size === this.#wanted.size) this.#complete.resolve();
  }

  /**
   * All of them as one message stream in the channel protocol, once they are there. Throws when the client goes, or
   * takes too long.
   */
  async joined(session: SpdySession, clock: Clock): Promise<ServedStream> {
    using deadline = clock.deadline(openPatience, session.gone);
    const late = (): void => this.#complete.reject(new SpdyError("the client did not open its streams"));
    deadline.signal.addEventListener("abort", late, { once: true });
    if (deadline.signal.aborted) late();
    await this.#complete.promise;
    return asMessages(this.#streams, session);
  }
}

function asMessages(streams: ReadonlyMap<number, SpdyStream>, session: SpdySession): ServedStream {
  const inbox = new ByteQueue();
  for (const [number, stream] of streams) {
    if (number === channel.stdin || number === channel.resize) {
      // When a stream breaks off, its session is over or goes on without it.
      inBackground(copy(stream, number, inbox), () => undefined);
    }
  }
  session.gone.addEventListener("abort", () => inbox.abort(new SpdyError("the client has gone")), {
    once: true,
  });
  return {
    protocol: channelProtocol.v5,
    messages: inbox,
    gone: session.gone,
    async send(message) {
      const frame = decodeFrame(message, channelProtocol.v5);
      const stream =
        frame === undefined || frame.type === "malformed" ? undefined : streams.get(frame.channel);
      if (frame?.type === "data") await stream?.write(frame.data);
      if (frame?.type === "end") stream?.end();
    },
    async close() {
      inbox.discard();
      for (const stream of streams.values()) stream.end();
      await session.close();
    },
  };
}

async function copy(stream: SpdyStream, number: number, inbox: ByteQueue): Promise<void> {
  for await (const data of stream.data) {
    inbox.push(encodeData(number, data));
    await inbox.room();
  }
  inbox.push(encodeEnd(number));
}
