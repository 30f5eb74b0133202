import { HeaderReader, HeaderWriter, type SpdyHeaders } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

/** What one end of a SPDY/3.1 connection tells the other. */
export type SpdyFrame =
  | { readonly type: "open"; readonly stream: number; readonly headers: SpdyHeaders; readonly end: boolean }
  | { readonly type: "reply"; readonly stream: number; readonly headers: SpdyHeaders; readonly end: boolean }
  | {
      readonly type: "headers";
      readonly stream: number;
      readonly headers: SpdyHeaders;
      readonly end: boolean;
    }
  /** A piece of a data frame, as it came: `end` is at the last one only. */
  | { readonly type: "data"; readonly stream: number; readonly data: Uint8Array; readonly end: boolean }
  | { readonly type: "reset"; readonly stream: number; readonly status: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "leave"; readonly lastStream: number };

const version = 3;
const control = {
  open: 1,
  reply: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  leave: 7,
  headers: 8,
  window: 9,
} as const;

/** Control frames say little: one that is longer is an attack or a mistake. */
const longestControl = 32 * 1024;

/** Data is sent in frames of at most this. */
const longestData = 32 * 1024;

const headBytes = 8;
const endFlag = 1;

/** Reads frames from bytes that come in any pieces. It holds no more than one control frame. */
export class FrameReader {
  readonly #headers = new HeaderReader();
  /** What is left of the last piece, and begins with a head or a control frame. */
  #rest: Uint8Array = new Uint8Array();
  /** The data frame that is under way. */
  #data: { readonly stream: number; readonly end: boolean; left: number } | undefined;

  /** The frames that are complete with this piece. Throws a `SpdyError` when it is none of SPDY. */
  *read(piece: Uint8Array): Generator<SpdyFrame, void, undefined> {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    this.#rest = new Uint8Array();
    for (;;) {
      if (this.#data !== undefined) {
        const { stream, end, left } = this.#data;
        const data = bytes.subarray(0, left);
        bytes = bytes.subarray(data.length);
        const isWhole = data.length === left;
        this.#data = isWhole ? undefined : { stream, end, left: left - data.length };
        if (data.length > 0 || isWhole) yield { type: "data", stream, data, end: end && isWhole };
        if (!isWhole) return;
      }
      if (bytes.length < headBytes) break;
      const head = new DataView(bytes.buffer, bytes.byteOffset, headBytes);
      const length = head.getUint32(4) & 0xff_ff_ff;
      const flags = head.getUint8(4);
      if ((head.getUint8(0) & 0x80) === 0) {
        this.#data = { stream: head.getUint32(0), end: (flags & endFlag) !== 0, left: length };
        bytes = bytes.subarray(headBytes);
        continue;
      }
      checkControl(head.getUint16(0) & 0x7f_ff, length);
      if (bytes.length < headBytes + length) break;
      const body = bytes.subarray(headBytes, headBytes + length);
      bytes = bytes.subarray(headBytes + length);
      const frame = this.#control(head.getUint16(2), flags, body);
      if (frame !== undefined) yield frame;
    }
    // A copy: the piece belongs to whoever gave it.
    this.#rest = new Uint8Array(bytes);
  }

  #control(type: number, flags: number, body: Uint8Array): SpdyFrame | undefined {
    const end = (flags & endFlag) !== 0;
    switch (type) {
      case control.open:
        return { type: "open", stream: streamAt(body), headers: this.#block(body, 10), end };
      case control.reply:
        return { type: "reply", stream: streamAt(body), headers: this.#block(body, 4), end };
      case control.headers:
        return { type: "headers", stream: streamAt(body), headers: this.#block(body, 4), end };
      case control.reset:
        return { type: "reset", stream: streamAt(body), status: numberAt(body, 4) };
      case control.ping:
        return { type: "ping", id: numberAt(body, 0) };
      case control.leave:
        return { type: "leave", lastStream: streamAt(body) };
      case control.settings:
      case control.window:
        // Kubernetes' clients know no windows: who is full stops to read.
        return undefined;
      default:
        throw new SpdyError(`there is no control frame of type ${type}`);
    }
  }

  #block(body: Uint8Array, offset: number): SpdyHeaders {
    if (body.length < offset) throw new SpdyError("a control frame ends too soon");
    return this.#headers.read(body.subarray(offset));
  }
}

function checkControl(itsVersion: number, length: number): void {
  if (itsVersion !== version) throw new SpdyError(`version ${itsVersion} of SPDY is not spoken here`);
  if (length > longestControl) throw new SpdyError(`a control frame of ${length} bytes is too long`);
}

function numberAt(body: Uint8Array, offset: number): number {
  if (body.length < offset + 4) throw new SpdyError("a control frame ends too soon");
  return new DataView(body.buffer, body.byteOffset).getUint32(offset);
}

function streamAt(body: Uint8Array): number {
  return numberAt(body, 0) & 0x7f_ff_ff_ff;
}

/** Writes the frames of one connection. */
export class FrameWriter {
  readonly #headers = new HeaderWriter();

  open(stream: number, headers: Iterable<readonly [string, string]>): Buffer {
    // After the number: no stream that it belongs to, the highest priority.
    return controlFrame(
      control.open,
      Buffer.concat([numbers(stream, 0), Buffer.alloc(2), this.#block(headers)]),
    );
  }

  reply(stream: number): Buffer {
    return controlFrame(control.reply, Buffer.concat([numbers(stream), this.#block([])]));
  }

  /** The frames that carry data of any length; none for no data. */
  *data(stream: number, data: Uint8Array): Generator<Buffer, void, undefined> {
    for (let start = 0; start < data.length; start += longestData) {
      const piece = data.subarray(start, start + longestData);
      yield Buffer.concat([numbers(stream, piece.length), piece]);
    }
  }

  /** No more comes from us on this stream. */
  end(stream: number): Buffer {
    return numbers(stream, endFlag * 2 ** 24);
  }

  reset(stream: number, status: number): Buffer {
    return controlFrame(control.reset, numbers(stream, status));
  }

  ping(id: number): Buffer {
    return controlFrame(control.ping, numbers(id));
  }

  /** No more streams are taken. */
  leave(lastStream: number): Buffer {
    return controlFrame(control.leave, numbers(lastStream, 0));
  }

  #block(headers: Iterable<readonly [string, string]>): Buffer {
    return this.#headers.write(headers);
  }
}

function controlFrame(type: number, body: Buffer): Buffer {
  return Buffer.concat([numbers((0x80_00 + version) * 2 ** 16 + type, body.length), body]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
