import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@kedge/machinery";
import type { Listen } from "./types.ts";

/** An answer of the small servers for probes and metrics. */
export interface PlainAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/** A server that listens. */
export interface HttpServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** controller-runtime's limits. */
const limits = {
  maxHeaderSize: 1 << 20,
  headersTimeout: 32_000,
  keepAliveTimeout: 90_000,
  requestTimeout: 60_000,
};

/** Serves GET requests, by their paths. Rejects when it cannot listen there. */
export async function serveHttp(
  { port, host }: Listen,
  clock: Clock,
  answer: (url: URL) => PlainAnswer | undefined | Promise<PlainAnswer | undefined>,
): Promise<HttpServer> {
  const server = createServer(limits, (request, response) => {
    const send = ({ status, contentType = "text/plain; charset=utf-8", body }: PlainAnswer): void => {
      response.writeHead(status, { "content-type": contentType, "x-content-type-options": "nosniff" });
      response.end(request.method === "HEAD" ? undefined : body);
    };
    if (request.method !== "GET" && request.method !== "HEAD") {
      send({ status: 405, body: "only GET and HEAD are served here\n" });
      return;
    }
    Promise.resolve()
      .then(() => answer(new URL(request.url ?? "/", "http://localhost")))
      .then((found) => send(found ?? { status: 404, body: "not found\n" }))
      .catch((error: unknown) => send({ status: 500, body: `${String(error)}\n` }));
  });
  await clock.track(listening(server, port, host));
  return { ...addressOf(server), close: () => clock.track(closing(server)) };
}

async function listening(server: Server, port: number, host: string | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Server): { readonly host: string; readonly port: number } {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens on no port");
  return { host: address.address, port: address.port };
}

async function closing(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
