import type { ApiHeaders, ApiRequest } from "@kedge/machinery";
import { maxBodyBytes } from "../pipeline/pipeline.ts";

/** What both versions of HTTP give of a request. */
export interface Incoming extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[];
  destroy(): unknown;
}

/** Reads a request to its end; of a body that is too big, only as much is kept as shows that it is. */
export async function readRequest(incoming: Incoming, signal: AbortSignal): Promise<ApiRequest> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const giveUp = (): void => void incoming.destroy();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    for await (const chunk of incoming) {
      if (!(chunk instanceof Uint8Array)) continue;
      // The rest is read too, or the client would not come to read the answer.
      if (size <= maxBodyBytes) chunks.push(chunk);
      size += chunk.length;
    }
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  return { ...requestHead(incoming), body: Buffer.concat(chunks), signal };
}

/** A request without its body. */
export function requestHead(incoming: Incoming): Pick<ApiRequest, "method" | "path" | "headers"> {
  return {
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    headers: headersOf(incoming.rawHeaders),
  };
}

function headersOf(raw: readonly string[]): ApiHeaders {
  // No object: a header may be called `constructor`.
  const headers = new Map<string, string | string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase().replace(/^:authority$/u, "host");
    const value = raw[at + 1] ?? "";
    if (name.startsWith(":")) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [...[before].flat(), value]);
  }
  return Object.fromEntries(headers);
}
