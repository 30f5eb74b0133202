import type { ApiResponse } from "@kedge/machinery";
import { WholeBody } from "../response/responses.ts";
import { mostResponseBytes, type AuditTrail } from "./auditor.ts";

/** The same answer, of whose beginning and end the trail hears. */
export function tellResponse(trail: AuditTrail, response: ApiResponse, isLong: boolean): ApiResponse {
  const { status, headers, body } = response;
  const isJson = String(headers["content-type"] ?? "").startsWith("application/json");
  if (body instanceof WholeBody) {
    trail.complete(status, isJson ? bounded(body.bytes) : undefined);
    return response;
  }
  if (isLong) trail.started(status);
  const keeps = isJson && !isLong && trail.wantsResponse;
  return { ...response, body: followed(trail, response, keeps) };
}

/** Tells of a connection that has become a stream, until it is closed. */
export function tellStream(trail: AuditTrail | undefined, closed: AbortSignal | undefined): void {
  const switching = 101;
  trail?.started(switching);
  if (closed === undefined || closed.aborted) trail?.complete(switching);
  else closed.addEventListener("abort", () => trail?.complete(switching), { once: true });
}

/** Also a client that goes in the middle has been answered. */
async function* followed(
  trail: AuditTrail,
  { status, body }: ApiResponse,
  keeps: boolean,
): AsyncGenerator<Uint8Array> {
  const kept: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (keeps && size <= mostResponseBytes) kept.push(chunk);
      yield chunk;
    }
  } finally {
    if (!keeps) trail.complete(status);
    else trail.complete(status, size > mostResponseBytes ? "too large" : Buffer.concat(kept));
  }
}

function bounded(bytes: Uint8Array): Uint8Array | "too large" {
  return bytes.length > mostResponseBytes ? "too large" : bytes;
}
