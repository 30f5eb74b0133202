import {
  messageOf,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type MessageStream,
  type SwitchedStream,
  type UpgradeRequest,
} from "@kedge/machinery";
import { splitPath } from "../request/target.ts";
import { bytesResponse, textResponse } from "../response/responses.ts";
import { socketStream } from "../streams/socket-stream.ts";
import type { Address } from "../webhook-client/service-address.ts";
import { hostAndPort, readBody, type RemoteClient, type RemoteRequest } from "./remote-client.ts";
import { answeredHeaders, forwardedHeaders, identityHeaders, type SentHeaders } from "./remote-headers.ts";
import type { RemoteServices } from "./remote-services.ts";
import type { Asker, Remotes, RemoteService } from "./types.ts";

/** How long an answer may take to begin; of what a group version has, which every client asks first, it is less. */
const [patience, discoveryPatience] = [60_000, 5_000];

/** What leads to other servers. */
export interface RemoteProxyOptions {
  readonly services: RemoteServices;
  readonly client: RemoteClient;
  readonly clock: Clock;
  /** Whether a server has a document of OpenAPI v3: `apis/example.com/v1`. */
  readonly hasOpenApi: (name: string) => boolean;
}

/** Leads requests to other servers, as kube-apiserver's aggregator does. */
export function remoteProxy({ services, client, clock, hasOpenApi }: RemoteProxyOptions): Remotes {
  return {
    serving: (path) => {
      // Nearly all clusters have none.
      if (services.isEmpty) return undefined;
      return servingPath(services, splitPath(path), hasOpenApi);
    },
    forward: async (remote, request, asker) => {
      try {
        const address = addressFor(client, remote, request.path);
        if ("status" in address) return address;
        const head = headOf(request, asker);
        const answer = await client.send(remote, address, {
          ...head,
          headers: { ...head.headers, ...wayHeaders(request, address) },
          body: request.body,
          patience: asker.isLongRunning ? undefined : isDiscovery(request) ? discoveryPatience : patience,
        });
        if (isRedirect(answer.statusCode, answer.headers.location)) {
          answer.destroy();
          return redirected();
        }
        // Whole, though nothing is in it: nobody reads the body of such an answer, and its seat would be kept.
        if (request.method === "HEAD") {
          answer.resume();
          return bytesResponse(answer.statusCode ?? 502, "", answeredHeaders(answer.headers));
        }
        return {
          status: answer.statusCode ?? 502,
          headers: answeredHeaders(answer.headers),
          body: answer,
        };
      } catch (error) {
        return unreachable(error);
      }
    },
    upgrade: async (remote, request, asker) => {
      if (isHttp(request)) return textResponse(400, "a connection to another server stays ours\n", noSniff);
      try {
        const address = addressFor(client, remote, request.path);
        if ("status" in address) return address;
        const head = headOf(request, asker);
        const found = await client.switch(remote, address, {
          ...head,
          headers: { ...head.headers, ...switchHeaders(request) },
          patience: connectionPatience,
        });
        if (!("head" in found)) {
          if (isRedirect(found.statusCode, found.headers.location)) {
            found.destroy();
            return redirected();
          }
          using limit = clock.deadline(connectionPatience, request.signal);
          const cut = (): void => void found.destroy(new Error("the answer did not end in time"));
          limit.signal.addEventListener("abort", cut, { once: true });
          const body = await clock.track(readBody(found, longestRefusal));
          return bytesResponse(found.statusCode ?? 502, body, answeredHeaders(found.headers));
        }
        const { answer, socket, head: first } = found;
        return switchedStream(socketStream(socket, { protocol: "", head: first, clock }), answer.rawHeaders);
      } catch (error) {
        return unreachable(error);
      }
    },
  };
}

/** On a connection that speaks for users, nobody but us may ask: what came next would be believed, whoever it names. */
function isHttp({ headers }: UpgradeRequest): boolean {
  const wanted = [headers["upgrade"] ?? []].flat().join(",").split(",");
  return wanted.some((name) => /^(?:h2c?|http|tls)(?:\/|$)/iu.test(name.trim()));
}

/** How long a server may take to switch protocols, and to say why it does not. */
const connectionPatience = 30_000;
/** So many bytes it may say instead. They are kept until its end, and nobody notices meanwhile when the client goes. */
const longestRefusal = 1024 * 1024;

function servingPath(
  services: RemoteServices,
  parts: readonly string[],
  hasOpenApi: (name: string) => boolean,
): RemoteService | undefined {
  const [root, first = "", second = "", ...more] = parts;
  if (root === "openapi" && first === "v3" && second === "apis") {
    const [group = "", version = "", ...rest] = more;
    const found = rest.length === 0 ? services.find(group, version) : undefined;
    return found !== undefined && hasOpenApi(`apis/${group}/${version}`) ? found : undefined;
  }
  if (root === "apis") return services.find(first, second);
  // All of the core group is one APIService.
  return root === "api" ? services.find("", "v1") : undefined;
}

function addressFor(client: RemoteClient, remote: RemoteService, path: string) {
  if (!remote.isAvailable) return unavailable();
  // What another server makes of these is not what the sender's rights were asked for.
  const [plain = ""] = path.split("?");
  if (splitPath(plain).some((part) => part === "." || part === ".." || /[/\\]/u.test(part)))
    return textResponse(404, "404 page not found\n", noSniff);
  try {
    return client.addressOf(remote);
  } catch {
    return unavailable();
  }
}

/** What every request to another server begins with. */
function headOf(
  { method, path, headers, signal, source }: Omit<ApiRequest, "body">,
  { user, auditId }: Asker,
): Omit<RemoteRequest, "patience"> {
  const before = headers["x-forwarded-for"];
  const passed = [
    ...(before === undefined ? [] : [before].flat()),
    ...(source === undefined ? [] : [source]),
  ];
  return {
    method,
    path: path.replace(/^\/+/u, "/"),
    signal,
    headers: {
      ...forwardedHeaders(headers),
      ...(passed.length > 0 && { "x-forwarded-for": passed.join(", ") }),
      ...(auditId !== "" && { "audit-id": auditId }),
      ...identityHeaders(user),
    },
  };
}

/** By which way it came, as reverse proxies tell. */
function wayHeaders({ path }: ApiRequest, { host, port }: Address): SentHeaders {
  return {
    "x-forwarded-host": hostAndPort({ host, port }),
    "x-forwarded-proto": "https",
    "x-forwarded-uri": path.split("?")[0] ?? "",
  };
}

/** `/apis/<group>/<version>`, and nothing below it. */
function isDiscovery({ path }: ApiRequest): boolean {
  return splitPath(path.split("?")[0] ?? "").length === 3;
}

function switchHeaders({ headers }: UpgradeRequest): SentHeaders {
  const { upgrade = "websocket" } = headers;
  return { connection: "Upgrade", upgrade: [upgrade].flat().join(", ") };
}

/** Its bytes are for the client as they are, and so is what the other server said when it switched. */
function switchedStream(stream: MessageStream, rawHeaders: readonly string[]): SwitchedStream {
  const switched: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    switched.push([rawHeaders[at] ?? "", rawHeaders[at + 1] ?? ""]);
  return { ...stream, switched };
}

function isRedirect(status = 0, location = ""): boolean {
  return status >= 300 && status <= 399 && location !== "";
}

const noSniff = { "x-content-type-options": "nosniff" };

function unavailable(): ApiResponse {
  return textResponse(503, "service unavailable\n", noSniff);
}

function redirected(): ApiResponse {
  return textResponse(502, "the backend attempted to redirect this request, which is not permitted");
}

function unreachable(error: unknown): ApiResponse {
  return textResponse(503, `error trying to reach service: ${messageOf(error)}\n`, noSniff);
}
