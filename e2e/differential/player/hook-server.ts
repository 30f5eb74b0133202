import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import {
  isJsonObject,
  parseJsonExactly,
  type ApiResponse,
  type Clock,
  type JsonObject,
  type Random,
} from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";

/** The webhooks of scripts: HTTPS on this machine, which both servers can reach. */
export interface HookServer {
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** Who signed its certificate: PEM in base64. */
  readonly authority: string;
  /** Another authority, which did not. */
  readonly otherAuthority: string;
  /** Says how the webhooks of a play answer, by their names. */
  add(play: string, hooks: Readonly<Record<string, unknown>>): void;
  /** What a webhook was asked last. */
  lastReview(play: string, name: string): ApiResponse;
  close(): Promise<void>;
}

interface Hook {
  readonly answer: JsonObject;
  last?: { readonly query: string; readonly review: unknown };
}

/** Starts them. */
export async function startHookServer(options: {
  readonly clock: Clock;
  readonly random: Random;
}): Promise<HookServer> {
  const ca = await createAuthority({ name: "webhooks", ...options });
  const other = await createAuthority({ name: "others", ...options });
  const { certificate, key } = await ca.issueServing({ name: "webhooks", hosts: ["127.0.0.1"] });
  const hooks = new Map<string, Hook>();
  const server = createServer({ cert: certificate, key }, (request, response) => {
    serve(hooks, request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  return {
    url: `https://127.0.0.1:${port}`,
    authority: base64(ca.certificate),
    otherAuthority: base64(other.certificate),
    add: (play, added) => {
      for (const [name, answer] of Object.entries(added))
        hooks.set(`${play}/${name}`, { answer: isJsonObject(answer) ? answer : {} });
    },
    lastReview: (play, name) => {
      const last = hooks.get(`${play}/${name}`)?.last;
      const text = last === undefined ? "it was not asked" : JSON.stringify(last);
      const type = last === undefined ? "text/plain" : "application/json";
      return {
        status: last === undefined ? 404 : 200,
        headers: { "content-type": type },
        body: bytesOf(text),
      };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}

async function serve(
  hooks: ReadonlyMap<string, Hook>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) if (Buffer.isBuffer(piece)) pieces.push(piece);
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const hook = hooks.get(path.slice(1));
  if (hook === undefined) {
    response.writeHead(404).end();
    return;
  }
  const review = parseJsonExactly(Buffer.concat(pieces).toString("utf8"));
  hook.last = { query, review };
  const { answer } = hook;
  if (answer["hangs"] === true) return;
  if (answer["vanishes"] === true) {
    response.destroy();
    return;
  }
  const { status = 200, type = "application/json" } = answer;
  response.writeHead(Number(status), { "content-type": String(type) });
  response.end(textOf(answer, isJsonObject(review) ? review : {}));
}

/** `text` as it is, `body` as JSON, `response` with the uid of the review, or what `rename` makes of its objects. */
function textOf(answer: JsonObject, review: JsonObject): string {
  const { text, body, response, rename } = answer;
  const request = isJsonObject(review["request"]) ? review["request"] : {};
  const uid = String(request["uid"]);
  if (typeof text === "string") return text;
  if (body !== undefined) return JSON.stringify(body).replaceAll("$(uid)", uid);
  const { apiVersion, kind } = review;
  const given = isJsonObject(response) ? response : {};
  const made = isJsonObject(rename) ? { ...converted(request, rename), ...given } : withPatch(given);
  return JSON.stringify({ apiVersion, kind, response: { uid, ...made } });
}

/** A patch is written as a list in scripts. */
function withPatch(response: JsonObject): JsonObject {
  const { patch } = response;
  if (typeof patch !== "object") return response;
  return { ...response, patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
}

/** Objects in another version, in which one field of their spec has another name: `{ v1: size, v2: count }`. */
function converted({ objects, desiredAPIVersion }: JsonObject, names: JsonObject): JsonObject {
  const version = String(desiredAPIVersion);
  const wanted = String(names[version.split("/")[1] ?? ""]);
  const convertedObjects = (Array.isArray(objects) ? objects : []).map((object: unknown) => {
    if (!isJsonObject(object) || !isJsonObject(object["spec"])) return object;
    const given = String(names[String(object["apiVersion"]).split("/")[1] ?? ""]);
    const { [given]: value, ...rest } = object["spec"];
    return {
      ...object,
      apiVersion: version,
      spec: value === undefined ? rest : { ...rest, [wanted]: value },
    };
  });
  return { result: { status: "Success" }, convertedObjects };
}
