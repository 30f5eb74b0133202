import { once } from "node:events";
import { createServer, type ServerOptions } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { realClock, realRandom } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { WebSocketServer, type WebSocket } from "ws";
import type { NodeProxyOptions } from "../types.ts";

/** What a node does in a test. */
export interface KubeletScript {
  readonly log?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Gets every WebSocket that was opened. */
  readonly stream?: (socket: WebSocket, request: IncomingMessage) => void;
  /** Protocols that the node speaks, the best first. Default: v5 and v4. */
  readonly protocols?: readonly string[];
  /** Refuses streams with this status and text. */
  readonly refusal?: { readonly status: number; readonly text: string };
}

/** A node that listens on this machine with a certificate of its own authority. */
export interface ScriptedKubelet extends AsyncDisposable {
  readonly port: number;
  readonly options: NodeProxyOptions;
  /** `method path as user`, in the order of the requests. */
  readonly asked: readonly string[];
}

/** Starts a node that does as the script says. */
export async function startKubelet(script: KubeletScript): Promise<ScriptedKubelet> {
  const authority = await createAuthority({ name: "nodes", clock: realClock, random: realRandom });
  const serving = await authority.issueServing({ name: "node", hosts: ["127.0.0.1"] });
  const client = await authority.issueClient({ user: "kube-apiserver", groups: ["system:masters"] });
  const asked: string[] = [];
  const server = createServer(serverOptions(authority.certificate, serving));
  const note = (request: IncomingMessage): void => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""} as ${userOf(request)}`);
  };
  server.on("request", (request, response) => {
    note(request);
    script.log?.(request, response);
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) =>
      (script.protocols ?? ["v5.channel.k8s.io", "v4.channel.k8s.io"]).find((each) => offered.has(each)) ??
      false,
  });
  server.on("upgrade", (request: IncomingMessage, socket, head) => {
    note(request);
    if (script.refusal !== undefined) {
      const { status, text } = script.refusal;
      socket.end(
        `HTTP/1.1 ${status} No\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => script.stream?.(opened, request));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server.address()),
    options: { clientCertificate: client, authority: authority.certificate, clock: realClock },
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function serverOptions(
  ca: string,
  { certificate, key }: { readonly certificate: string; readonly key: string },
): ServerOptions {
  return { ca, cert: certificate, key, requestCert: true, rejectUnauthorized: true };
}

function userOf({ socket }: IncomingMessage): string {
  const certificate = isTls(socket) ? socket.getPeerCertificate() : undefined;
  return String(certificate?.subject.CN);
}

function isTls(socket: object): socket is TLSSocket {
  return "getPeerCertificate" in socket;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("a TCP port was expected");
  return address.port;
}
