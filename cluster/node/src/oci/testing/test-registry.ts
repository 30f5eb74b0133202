import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { mediaTypes } from "../descriptor.ts";
import { digestOf, type Digest } from "../digest.ts";
import type { BuiltImage } from "./test-image.ts";

/** How a registry behaves. */
export interface TestRegistryOptions {
  /** Who may pull. Default: everybody. */
  readonly users?: Readonly<Record<string, string>>;
  /** How one says who one is. Default: by tokens. */
  readonly auth?: "bearer" | "basic";
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Before a request is answered; true: it was dealt with. */
  readonly onRequest?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** A registry that serves the OCI distribution protocol for pulls, with tokens, ranges and indexes. */
export interface TestRegistry extends AsyncDisposable {
  /** `localhost:1234`. */
  readonly host: string;
  /** `GET /v2/…`, and how it was answered. */
  readonly log: string[];
  push(repository: string, tag: string, image: BuiltImage): void;
  /** An index of images by platform: `linux/amd64`. */
  pushIndex(repository: string, tag: string, images: Readonly<Record<string, BuiltImage>>): Digest;
  /** Replaces content, whatever its digest. */
  damage(digest: Digest, bytes: Buffer): void;
}

/** Starts one on a free port. */
export async function startTestRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, { readonly type: string; readonly bytes: Buffer }>();
  const log: string[] = [];
  const token = "a-token-for-pulls";
  const { users, auth = "bearer" } = options;
  let host = "";
  const origin = (): string => `${options.tls === undefined ? "http" : "https"}://${host}`;

  const isUser = (header: string | undefined): boolean => {
    const [user = "", password] = Buffer.from(header?.replace(/^Basic /u, "") ?? "", "base64")
      .toString()
      .split(":");
    return users === undefined || (Object.hasOwn(users, user) && users[user] === password);
  };
  const isAllowed = ({ headers }: IncomingMessage): boolean => {
    if (users === undefined) return true;
    return auth === "basic" ? isUser(headers.authorization) : headers.authorization === `Bearer ${token}`;
  };
  const refuse = (response: ServerResponse, status: number, code: string): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase().replaceAll("_", " ") }] }));
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "", origin());
    if (url.pathname === "/token") {
      if (!isUser(request.headers.authorization)) return refuse(response, 401, "UNAUTHORIZED");
      response.end(JSON.stringify({ token, scope: url.searchParams.get("scope") }));
      return;
    }
    if (!isAllowed(request)) {
      const repository = /^\/v2\/(.+)\/(?:manifests|blobs)\//u.exec(url.pathname)?.[1] ?? "";
      const bearer = `Bearer realm="${origin()}/token",service="test",scope="repository:${repository}:pull"`;
      response.setHeader("www-authenticate", auth === "basic" ? 'Basic realm="test"' : bearer);
      return refuse(response, 401, "UNAUTHORIZED");
    }
    const [, repository = "", kind, reference = ""] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/u.exec(url.pathname) ?? [];
    if (url.pathname === "/v2/") return void response.end("{}");
    if (kind === "manifests") {
      const found = manifests.get(`${repository}:${reference}`);
      if (found === undefined) return refuse(response, 404, "MANIFEST_UNKNOWN");
      response.writeHead(200, { "content-type": found.type, "docker-content-digest": digestOf(found.bytes) });
      response.end(found.bytes);
      return;
    }
    const found = blobs.get(reference);
    if (kind !== "blobs" || found === undefined) return refuse(response, 404, "BLOB_UNKNOWN");
    const from = Number(/^bytes=(\d+)-$/u.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (from > 0) response.setHeader("content-range", `bytes ${from}-${found.length - 1}/${found.length}`);
    response.writeHead(from > 0 ? 206 : 200, { "content-length": found.length - from });
    response.end(found.subarray(from));
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    response.on("close", () => log.push(`${request.method} ${request.url} ${response.statusCode}`));
    if (options.onRequest?.(request, response) !== true) answer(request, response);
  };
  const { tls } = options;
  const server =
    tls === undefined
      ? createServer(listener)
      : createSecureServer({ cert: tls.certificate, key: tls.key }, listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  host = `localhost:${port}`;

  const keep = (repository: string, image: BuiltImage): void => {
    for (const [digest, blob] of image.blobs) blobs.set(digest, blob);
    manifests.set(`${repository}:${image.digest}`, { type: mediaTypes.manifest, bytes: image.manifest });
  };
  return {
    host,
    log,
    push(repository, tag, image) {
      keep(repository, image);
      manifests.set(`${repository}:${tag}`, { type: mediaTypes.manifest, bytes: image.manifest });
    },
    pushIndex(repository, tag, images) {
      const list = Object.entries(images).map(([platform, image]) => {
        keep(repository, image);
        const [os, architecture] = platform.split("/");
        const { digest, manifest } = image;
        return {
          mediaType: mediaTypes.manifest,
          digest,
          size: manifest.length,
          platform: { os, architecture },
        };
      });
      const bytes = Buffer.from(
        JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: list }),
      );
      manifests.set(`${repository}:${tag}`, { type: mediaTypes.index, bytes });
      manifests.set(`${repository}:${digestOf(bytes)}`, { type: mediaTypes.index, bytes });
      return digestOf(bytes);
    },
    damage: (digest, bytes) => void blobs.set(digest, bytes),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
