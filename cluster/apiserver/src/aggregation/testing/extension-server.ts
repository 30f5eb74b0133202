import { once } from "node:events";
import { ServerResponse, type IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { isJsonObject, realClock, realRandom, type JsonObject } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";

/** A small API server of somebody else: flunders of wardle.example.com/v1, which it keeps in memory. */
export interface ExtensionServer extends AsyncDisposable {
  readonly port: number;
  /** Who signed its certificate: PEM in base64. */
  readonly authority: string;
  /** What it was asked, without discovery and the like: method, path and headers. */
  readonly seen: readonly Seen[];
  /** How it answers paths, in place of what it would. */
  readonly behaviours: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
}

/** A request that it got. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The name in the client's certificate, if the front proxy's authority has signed it. */
  readonly by: string | undefined;
}

/** How it is made. */
export interface ExtensionOptions {
  /** Who signs the certificate of whoever may ask it, in PEM: it refuses all others. Default: anybody may. */
  readonly frontProxyAuthority?: string | undefined;
  /** Whether it knows nothing of aggregated discovery, as servers before Kubernetes 1.26. Default false. */
  readonly isOld?: boolean;
}

/** The name of the Service that its certificate is for. */
export const extensionService = { namespace: "default", name: "wardle" };

const groupVersion = "/apis/wardle.example.com/v1";
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Starts one, on the loopback. */
export async function startExtensionServer(options: ExtensionOptions = {}): Promise<ExtensionServer> {
  const ca = await createAuthority({ name: "wardle", clock: realClock, random: realRandom });
  const hosts = [`${extensionService.name}.${extensionService.namespace}.svc`];
  const { certificate, key } = await ca.issueServing({ name: "wardle", hosts });
  const seen: Seen[] = [];
  const behaviours: ExtensionServer["behaviours"] = new Map();
  const flunders = new Map<string, JsonObject>();
  const switched = new Set<Duplex>();
  const { frontProxyAuthority: front } = options;
  const asked = (request: IncomingMessage): Seen => {
    const { method = "", url: path = "", headers, socket } = request;
    const isKnown = socket instanceof TLSSocket && socket.authorized;
    return {
      method,
      path,
      headers,
      by: isKnown ? String(socket.getPeerCertificate().subject.CN) : undefined,
    };
  };
  const server = createServer({
    cert: certificate,
    key,
    requestCert: true,
    rejectUnauthorized: false,
    ...(front !== undefined && { ca: front }),
  });
  server.on("request", (request, response) => {
    const work = async (): Promise<void> => {
      const one = asked(request);
      const [path = ""] = one.path.split("?");
      if (path.startsWith(`${groupVersion}/`)) seen.push(one);
      if (front !== undefined && one.by !== "front-proxy-client") return void response.writeHead(401).end();
      const behaviour = behaviours.get(path);
      if (behaviour !== undefined) return behaviour(request, response);
      const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString("utf8");
      serve({ path: one.path, method: one.method, text, request, flunders, isOld: options.isOld }, response);
    };
    work().catch(() => response.destroy());
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const one = asked(request);
    seen.push(one);
    socket.on("error", () => socket.destroy());
    switched.add(socket);
    const behaviour = behaviours.get(one.path.split("?")[0] ?? "");
    if (behaviour !== undefined) {
      const response = new ServerResponse(request);
      response.assignSocket(request.socket);
      return behaviour(request, response);
    }
    const { upgrade = "" } = request.headers;
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nX-Own: yes\r\n\r\n`,
    );
    if (head.length > 0) socket.write(head);
    socket.pipe(socket);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    authority: Buffer.from(ca.certificate).toString("base64"),
    seen,
    behaviours,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      for (const socket of switched) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly request: IncomingMessage;
  readonly flunders: Map<string, JsonObject>;
  readonly isOld: boolean | undefined;
}

function serve(
  { method, path: whole, text, request, flunders, isOld }: Asked,
  response: ServerResponse,
): void {
  const [path = "", query = ""] = whole.split("?");
  const send = (status: number, body: unknown, type = "application/json"): void => {
    response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
  };
  const accepts = request.headers.accept ?? "";
  if (path === "/apis" && isOld !== true && accepts.includes("APIGroupDiscoveryList"))
    return send(200, aggregated, aggregatedType);
  if (path === groupVersion) return send(200, resourceList);
  if (path === "/openapi/v3")
    return send(200, {
      paths: { "apis/wardle.example.com/v1": { serverRelativeURL: `/openapi/v3${groupVersion}?hash=A` } },
    });
  if (path === `/openapi/v3${groupVersion}`) return send(200, openApi);
  const name = new RegExp(`^${groupVersion}/namespaces/default/flunders(?:/([a-z]+))?$`, "u").exec(path);
  if (name === null) return send(404, notFound);
  const items = [...flunders.values()];
  if (method === "POST") {
    const object: unknown = JSON.parse(text);
    const { metadata } = isJsonObject(object) ? object : {};
    const stored = {
      ...flunder,
      metadata: { ...(isJsonObject(metadata) && metadata), namespace: "default" },
    };
    flunders.set(isJsonObject(metadata) ? String(metadata["name"]) : "", stored);
    return send(201, stored);
  }
  if (query.includes("watch=")) {
    response.writeHead(200, { "content-type": "application/json" });
    for (const object of items) response.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
    return;
  }
  if (name[1] !== undefined)
    return send(flunders.has(name[1]) ? 200 : 404, flunders.get(name[1]) ?? notFound);
  send(200, { ...flunder, kind: "FlunderList", metadata: { resourceVersion: "1" }, items });
}

const flunder = { apiVersion: "wardle.example.com/v1", kind: "Flunder" };
const verbs = ["create", "get", "list", "watch"];
const notFound = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
const kind = { group: "wardle.example.com", version: "v1", kind: "Flunder" };

const resourceList = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "wardle.example.com/v1",
  resources: [
    {
      name: "flunders",
      singularName: "flunder",
      namespaced: true,
      kind: "Flunder",
      verbs,
      shortNames: ["fl"],
    },
    { name: "flunders/status", singularName: "", namespaced: true, kind: "Flunder", verbs: ["get"] },
  ],
};

const aggregated = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: [
    {
      metadata: { name: "wardle.example.com" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "flunders",
              responseKind: kind,
              scope: "Namespaced",
              singularResource: "flunder",
              verbs,
              shortNames: ["fl"],
              subresources: [{ subresource: "status", responseKind: kind, verbs: ["get"] }],
            },
          ],
          freshness: "Current",
        },
      ],
    },
  ],
};

const openApi = {
  openapi: "3.0.0",
  info: { title: "wardle", version: "1" },
  paths: {},
  components: { schemas: { "com.example.wardle.v1.Flunder": { type: "object", description: "A flunder." } } },
};
