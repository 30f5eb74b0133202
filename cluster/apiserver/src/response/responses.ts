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
    body: wholeBody(bytes),
  };
}

async function* wholeBody(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
