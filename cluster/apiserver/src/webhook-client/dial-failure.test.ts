import { once } from "node:events";
import { get } from "node:https";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { dialFailure } from "./dial-failure.ts";

const { signal } = new AbortController();

test.each<[string, string, () => Server]>([
  [
    "one that has no certificate yet",
    "remote error: tls: handshake failure",
    () => createTlsServer({}).on("tlsClientError", () => undefined),
  ],
  [
    "one that speaks no TLS",
    "http: server gave HTTP response to HTTPS client",
    () => createServer((socket) => deaf(socket).end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  ],
  ["one that hangs up", "EOF", () => createServer((socket) => deaf(socket).destroy())],
])("what Go says of %s: %s", async (_, said, make) => {
  const server = make().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const asked = get({ host: "127.0.0.1", port, agent: false });
  const [error] = (await once(asked, "error")) as [unknown];
  server.close();
  expect(dialFailure(error, signal)).toBe(said);
});

/** The other end may hang up first. */
function deaf(socket: Socket): Socket {
  return socket.on("error", () => undefined);
}
