/** Headers that are only about one connection: whoever passes a request or an answer on leaves them out. In small letters. */
export const hopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What of a request's headers is never passed on: the sender's credentials, and what is about its own connection. */
export const ownHeaders: ReadonlySet<string> = new Set([
  ...hopHeaders,
  "authorization",
  "host",
  "content-length",
]);
