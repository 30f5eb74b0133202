import { once } from "node:events";
import type { ApiResponse, Clock } from "@kedge/machinery";
import { WholeBody } from "../response/responses.ts";

/** So long a client may leave what was sent unread, in milliseconds, before it counts as gone. */
const readTimeout = 60_000;

/** So many bytes fit into the buffers of a connection, whether its client reads or not. */
const sentAtOnce = 16 * 1024;

type Headers = Record<string, string | string[]>;

/** What both versions of HTTP take of a response. */
interface Sink extends NodeJS.EventEmitter {
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  write(chunk: Uint8Array): boolean;
  /** Sends the head at once, though nothing of the body is there yet. HTTP/2 does so by itself. */
  flushHeaders?(): unknown;
  end(): unknown;
  end(chunk: Uint8Array): unknown;
  destroy(error?: Error): unknown;
}

/** An answer of HTTP/1.1, or a stream of HTTP/2: without Node.js' layer that makes the one look like the other. */
export type Outgoing = Sink &
  ({ writeHead(status: number, headers: Headers): unknown } | { respond(headers: Headers): unknown });

/** Sends an answer no faster than the client reads it. Ends early, and quietly, when the client goes. */
export async function writeResponse(
  outgoing: Outgoing,
  response: ApiResponse,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  sendHead(outgoing, response);
  if (response.body instanceof WholeBody && response.body.bytes.length <= sentAtOnce) {
    if (!outgoing.destroyed) outgoing.end(response.body.bytes);
    return;
  }
  // The first event of a watch may be far: its client wants to know that it is open.
  if (response.headers["content-length"] === undefined) outgoing.flushHeaders?.();
  const chunks = response.body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next();
      if (next.done === true || signal.aborted || outgoing.destroyed) break;
      if (!outgoing.write(next.value)) await drained(outgoing, signal, clock);
    }
  } finally {
    await chunks.return?.();
  }
  if (!outgoing.destroyed) outgoing.end();
}

function sendHead(outgoing: Outgoing, { status, headers }: ApiResponse): void {
  if ("writeHead" in outgoing) outgoing.writeHead(status, plainHeaders(headers));
  else if (!outgoing.destroyed) outgoing.respond({ ":status": String(status), ...plainHeaders(headers) });
}

async function drained(outgoing: Outgoing, signal: AbortSignal, clock: Clock): Promise<void> {
  using limit = clock.deadline(readTimeout, signal);
  try {
    await once(outgoing, "drain", { signal: limit.signal });
  } catch {
    // The client has gone, or as good as: the loop sees that by itself.
    outgoing.destroy();
  }
}

function plainHeaders(headers: ApiResponse["headers"]): Headers {
  const plain: Headers = {};
  for (const [name, value] of Object.entries(headers))
    plain[name] = typeof value === "string" ? asBytes(value) : value.map(asBytes);
  return plain;
}

/** Headers are bytes, and Node.js takes each character for one: warnings may hold any text, which Go sends as UTF-8. */
function asBytes(value: string): string {
  return /^[\0-\x7f]*$/u.test(value) ? value : Buffer.from(value, "utf8").toString("latin1");
}
