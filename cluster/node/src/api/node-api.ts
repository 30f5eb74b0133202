import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { Clock, Logger } from "@kedge/machinery";
import type { CertificateWithKey } from "@kedge/pki";
import type { ContainerRuntime } from "../runtime/types.ts";
import type { ApiPod } from "../pod/types.ts";
import { answer } from "./answer.ts";
import { upgradeTo } from "./upgrade.ts";

/** Where and how the node's API is served. */
export interface NodeApiOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly serving: CertificateWithKey;
  /** Who signs the certificates of those who may call: PEM. */
  readonly clientAuthority: string;
}

/** What the node's API needs to answer. */
export interface NodeApiContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runtime: ContainerRuntime;
  /** The node's folder. */
  readonly folder: string;
  /** The path of a pod's network namespace; undefined: the host's. */
  networkOf(pod: ApiPod): Promise<string | undefined>;
  pods(): readonly ApiPod[];
  /** Undefined when it is healthy, else why not. */
  health(): string | undefined;
}

/** The node's HTTPS API, for the API server: logs, exec, attach, port-forward. */
export interface NodeApi extends AsyncDisposable {
  readonly port: number;
}

/** Opens the node's API. Who shows no certificate of the authority is turned away before anything is read. */
export async function serveNodeApi(context: NodeApiContext, options: NodeApiOptions): Promise<NodeApi> {
  const stop = new AbortController();
  const server = createServer({
    key: options.serving.key,
    cert: options.serving.certificate,
    ca: options.clientAuthority,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    void answer(context, request, response, stop.signal);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void upgradeTo(context, { request, socket, head });
  });
  const port = await listen(server, options);
  return {
    port,
    async [Symbol.asyncDispose]() {
      stop.abort();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
      await promise;
    },
  };
}

async function listen(server: Server, { host, port }: NodeApiOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", reject);
  server.listen({ host, port }, () => {
    const address = server.address();
    resolve(typeof address === "object" && address !== null ? address.port : port);
  });
  return await promise;
}
