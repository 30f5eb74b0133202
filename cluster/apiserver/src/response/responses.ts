import type { ApiHeaders, ApiResponse } from "@kedge/machinery";

/** An answer of plain text, as paths outside the API give it. */
export function textResponse(status: number, text: string, headers: ApiHeaders = {}): ApiResponse {
  return bytesResponse(status, text, { "content-type": "text/plain; charset=utf-8", ...headers });
}

/** An answer with a body that is there as a whole. */
export function bytesResponse(
  status: number,
  content: string | Uint8Array,
  headers: ApiHeaders,
): ApiResponse {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return {
    status,
    headers: { "cache-control": "no-cache, private", ...headers, "content-length": String(bytes.length) },
    body: new WholeBody(bytes),
  };
}

/** A body that is there as a whole: a door may send it with the head, without iterating. */
export class WholeBody implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.bytes.length > 0) yield this.bytes;
  }
}
