import type { IncomingMessage } from "node:http";
import type { ApiHeaders } from "@kedge/machinery";

/** The headers of an HTTP/1.1 answer, repeated ones kept apart: each `Warning` is one. */
export function nodeHeaders(answer: IncomingMessage): ApiHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    const [only = ""] = values;
    headers[name] = values.length === 1 ? only : values;
  }
  return headers;
}
