import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { isJsonObject, realClock, realRandom, type JsonObject } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";

/** How a webhook of a test answers. `review` is what it was asked. */
export type Behaviour = (
  response: ServerResponse,
  review: JsonObject,
  request: IncomingMessage,
) => void | Promise<void>;

/** Webhooks on this machine, by the paths of their URLs. */
export interface HookTarget extends AsyncDisposable {
  readonly url: string;
  /** Who signed its certificate, and somebody who did not: PEM in base64. */
  readonly authority: string;
  readonly otherAuthority: string;
  readonly behaviours: Map<string, Behaviour>;
  /** How many connections were made to it. */
  readonly connections: () => number;
  /** Closes all connections that nobody uses. */
  closeIdle(): void;
}

/** Starts them. */
export async function startHookTarget(hosts: readonly string[] = ["127.0.0.1"]): Promise<HookTarget> {
  const options = { clock: realClock, random: realRandom };
  const ca = await createAuthority({ name: "hooks", ...options });
  const other = await createAuthority({ name: "others", ...options });
  const { certificate, key } = await ca.issueServing({ name: "hooks", hosts });
  const behaviours = new Map<string, Behaviour>();
  let connections = 0;
  const server = createServer({ cert: certificate, key, keepAliveTimeout: 60_000 }, (request, response) => {
    const work = async (): Promise<void> => {
      const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString("utf8");
      const review: unknown = JSON.parse(text);
      const [path = ""] = (request.url ?? "").split("?");
      await behaviours.get(path)?.(response, isJsonObject(review) ? review : {}, request);
    };
    work().catch(() => response.destroy());
  });
  server.on("secureConnection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    authority: Buffer.from(ca.certificate).toString("base64"),
    otherAuthority: Buffer.from(other.certificate).toString("base64"),
    behaviours,
    connections: () => connections,
    closeIdle: () => {
      server.closeIdleConnections();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The uid of a review. */
export function uidOf({ request }: JsonObject): string {
  return isJsonObject(request) ? String(request["uid"]) : "";
}

/** Answers a review. */
export function answer(fields: JsonObject): Behaviour {
  return (response, review) => {
    const { apiVersion, kind } = review;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: uidOf(review), ...fields } }));
  };
}
