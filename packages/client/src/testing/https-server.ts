import { createServer as createHttp1Server, type Server as Http1Server } from "node:https";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ApiHandler, ApiHeaders } from "@kedge/machinery";
import { testPem } from "./certificates.ts";

/** A small API server door for tests: TLS on a free loopback port, with its connections counted. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** TLS connections made so far. */
  readonly connections: number;
  /** Cuts every connection, as a crash would. */
  cut(): void;
  /** The underlying server, for upgrades. */
  readonly server: Http2SecureServer | Http1Server;
}

/** What a handler of these tests learns beyond the request. */
export interface TestPeer {
  /** Common name of the client's certificate, if it showed one. */
  readonly commonName: string | undefined;
}

/** Serves a handler over HTTPS; `protocol` is the only one that the server offers. */
export async function serveHttps(
  handler: (request: Parameters<ApiHandler>[0], peer: TestPeer) => ReturnType<ApiHandler>,
  options: { protocol: "h2" | "http/1.1"; requestCert?: boolean; maxStreams?: number },
): Promise<TestServer> {
  const tls = {
    key: testPem("server.key"),
    cert: testPem("server.pem"),
    ca: testPem("ca.pem"),
    requestCert: options.requestCert ?? false,
    rejectUnauthorized: false,
  };
  const listener = (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ): void => void answer(handler, request, response);
  const server =
    options.protocol === "h2"
      ? createSecureServer(
          {
            ...tls,
            ...(options.maxStreams !== undefined && {
              settings: { maxConcurrentStreams: options.maxStreams },
            }),
          },
          listener,
        )
      : createHttp1Server(tls, listener);
  const sockets = new Set<TLSSocket>();
  let connections = 0;
  server.on("secureConnection", (socket: TLSSocket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    server,
    port,
    url: `https://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  handler: (request: Parameters<ApiHandler>[0], peer: TestPeer) => ReturnType<ApiHandler>,
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  const result = await handler(
    {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers as ApiHeaders,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      signal: gone.signal,
    },
    { commonName: (subject as { CN?: string } | undefined)?.CN },
  );
  const out = response as ServerResponse;
  out.writeHead(result.status, result.headers as Record<string, string | string[]>);
  out.flushHeaders();
  for await (const chunk of result.body) {
    if (gone.signal.aborted) return;
    if (!out.write(chunk)) await new Promise((resolve) => out.once("drain", resolve));
  }
  out.end();
}
