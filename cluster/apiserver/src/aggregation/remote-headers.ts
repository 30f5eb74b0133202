import type { IncomingHttpHeaders } from "node:http";
import type { ApiHeaders } from "@kedge/machinery";
import type { User } from "../registry/types.ts";
import { hopHeaders, ownHeaders } from "../request/hop-headers.ts";

/** Headers as Node.js sends them. */
export type SentHeaders = Record<string, string | string[]>;

/** What of a request's headers another server gets to see: not the sender's credentials, nor who the sender claims to be. */
export function forwardedHeaders(headers: ApiHeaders): SentHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) => !ownHeaders.has(name.toLowerCase()) && !/^(?::|impersonate-|x-remote-)/iu.test(name),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
  );
}

/** Tells another server on whose behalf it is asked. It believes whoever shows the certificate of the front proxy. */
export function identityHeaders({ name, uid, groups, extra = {} }: User): SentHeaders {
  const headers: SentHeaders = { "X-Remote-User": sendable("X-Remote-User", name) };
  if (uid !== undefined && uid !== "") headers["X-Remote-Uid"] = sendable("X-Remote-Uid", uid);
  if (groups.length > 0) headers["X-Remote-Group"] = groups.map((group) => sendable("X-Remote-Group", group));
  for (const [key, values] of Object.entries(extra)) {
    const header = `X-Remote-Extra-${escapedKey(key)}`;
    headers[header] = values.map((value) => sendable(header, value));
  }
  return headers;
}

/** What of an answer's headers the client gets to see. */
export function answeredHeaders(headers: IncomingHttpHeaders): ApiHeaders {
  const answered: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !hopHeaders.has(name) && !corsHeaders.has(name))
      answered[name] = typeof value === "string" ? asText(value) : value.map(asText);
  return answered;
}

/** The bytes of a header, which Node.js takes for characters. */
function asText(value: string): string {
  return Buffer.from(value, "latin1").toString("utf8");
}

/** Which pages of other sites may read an answer is not for that server to say. */
const corsHeaders: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
]);

/** Headers are bytes, and Node.js takes each character for one. Throws in Go's words for what no header can hold. */
function sendable(header: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- those are what is looked for
  if (/[\0-\x08\x0a-\x1f\x7f]/u.test(value))
    throw new Error(`net/http: invalid header field value for ${JSON.stringify(header)}`);
  return Buffer.from(value, "utf8").toString("latin1");
}

/** A key of a user's extra may be any text; the name of a header may not. */
function escapedKey(key: string): string {
  const bytes = Array.from(Buffer.from(key, "utf8"), (byte) => String.fromCharCode(byte));
  return bytes
    .map((byte) =>
      /[\w!#$&'*+\-.^`|~]/u.test(byte)
        ? byte
        : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}
