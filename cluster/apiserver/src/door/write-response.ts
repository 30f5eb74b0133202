import { once } from "node:events";
import type { ApiResponse } from "@kedge/machinery";

/** What both versions of HTTP take of a response. */
export interface Outgoing extends NodeJS.EventEmitter {
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
}

/** Sends an answer no faster than the client reads it. Ends early, and quietly, when the client goes. */
export async function writeResponse(
  outgoing: Outgoing,
  response: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  outgoing.writeHead(response.status, plainHeaders(response.headers));
  const chunks = response.body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next();
      if (next.done === true || signal.aborted || outgoing.destroyed) break;
      if (!outgoing.write(next.value)) await drained(outgoing, signal);
    }
  } finally {
    await chunks.return?.();
  }
  if (!outgoing.destroyed) outgoing.end();
}

async function drained(outgoing: Outgoing, signal: AbortSignal): Promise<void> {
  try {
    await once(outgoing, "drain", { signal });
  } catch {
    // The client has gone: the loop sees that by itself.
  }
}

function plainHeaders(headers: ApiResponse["headers"]): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
  );
}
