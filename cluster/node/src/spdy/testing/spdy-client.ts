import { once } from "node:events";
import type { Duplex } from "node:stream";
import { constants, createDeflate, type Deflate } from "node:zlib";
import { headerDictionary } from "../dictionary.ts";
import { FrameReader, FrameWriter } from "../frames.ts";

/** What a client has received on one stream. */
export interface Received {
  text: string;
  state: "open" | "ended" | "reset";
}

/** A client of SPDY/3.1 that compresses its headers as Go's does: one zlib stream, with the dictionary. */
export class SpdyClient {
  readonly received = new Map<number, Received>();
  readonly #socket: Duplex;
  readonly #deflate: Deflate = createDeflate({ dictionary: headerDictionary() });
  readonly #frames = new FrameWriter();
  #streams = -1;

  constructor(socket: Duplex) {
    this.#socket = socket;
    const reader = new FrameReader();
    socket.on("data", (piece: Buffer) => {
      for (const frame of reader.read(piece)) {
        if (frame.type === "ping" && frame.id % 2 === 0) socket.write(this.#frames.ping(frame.id));
        if (!("stream" in frame)) continue;
        const stream = this.#receivedOn(frame.stream);
        if (frame.type === "data") stream.text += Buffer.from(frame.data).toString();
        if (frame.type === "reset") stream.state = "reset";
        else if ("end" in frame && frame.end) stream.state = "ended";
      }
    });
    socket.on("error", () => undefined);
  }

  async open(headers: Readonly<Record<string, string>>): Promise<number> {
    const id = (this.#streams += 2);
    const words = Object.entries(headers)
      .flat()
      .map((word) => Buffer.from(word));
    const block = Buffer.concat([
      number(words.length / 2),
      ...words.flatMap((word) => [number(word.length), word]),
    ]);
    const packed: Buffer[] = [];
    const take = (piece: Buffer): void => void packed.push(piece);
    this.#deflate.on("data", take);
    this.#deflate.write(block);
    await new Promise<void>((resolve) => {
      this.#deflate.flush(constants.Z_SYNC_FLUSH, resolve);
    });
    this.#deflate.off("data", take);
    const body = Buffer.concat([number(id), number(0), Buffer.alloc(2), ...packed]);
    this.#socket.write(Buffer.concat([Buffer.from([0x80, 3, 0, 1]), number(body.length), body]));
    this.#receivedOn(id);
    return id;
  }

  async write(stream: number, data: string | Uint8Array): Promise<void> {
    for (const frame of this.#frames.data(stream, Buffer.from(data))) {
      if (!this.#socket.write(frame)) await once(this.#socket, "drain");
    }
  }

  end(stream: number): void {
    this.#socket.write(this.#frames.end(stream));
  }

  reset(stream: number): void {
    this.#socket.write(this.#frames.reset(stream, 5));
  }

  #receivedOn(id: number): Received {
    const known = this.received.get(id);
    if (known !== undefined) return known;
    const stream: Received = { text: "", state: "open" };
    this.received.set(id, stream);
    return stream;
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
