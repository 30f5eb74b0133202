import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { ApiResponse, Clock } from "@kedge/machinery";
import { WholeBody } from "./responses.ts";

/** Smaller answers are sent as they are. */
const minBytes = 128 * 1024;

/** The same answer, compressed when it is big, all there, and the client can read that. */
export async function compressed(
  response: ApiResponse,
  acceptEncoding: string,
  clock: Clock,
): Promise<ApiResponse> {
  const length = Number(response.headers["content-length"] ?? 0);
  // What comes from elsewhere is passed on as it comes, however long it is.
  if (!(response.body instanceof WholeBody)) return response;
  if (length <= minBytes || !acceptsGzip(acceptEncoding)) return response;
  if (response.headers["content-encoding"] !== undefined) return response;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const bytes = await clock.track(promisify(gzip)(Buffer.concat(chunks), { level: 1 }));
  return {
    status: response.status,
    headers: {
      ...response.headers,
      "content-encoding": "gzip",
      "content-length": String(bytes.length),
      vary: "Accept-Encoding",
    },
    body: new WholeBody(bytes),
  };
}

/** Whether a client can read gzip. */
export function acceptsGzip(acceptEncoding: string): boolean {
  return /(?:^|,)\s*gzip\b/u.test(acceptEncoding);
}

/** A long answer, compressed as it comes, no faster than it is read. */
export async function* gzipped(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed = createGzip({ level: 1 });
  // Whoever reads is told what goes wrong.
  pipeline(Readable.from(body, { objectMode: true, highWaterMark: 1 }), packed, () => undefined);
  for await (const chunk of packed) if (chunk instanceof Uint8Array) yield chunk;
}
