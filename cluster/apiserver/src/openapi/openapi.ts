import { apiVersionOf, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import { etagResponse, hashedDocument, type HashedDocument } from "../discovery/etag-response.ts";
import type { Resource } from "../registry/types.ts";
import { parseAccept } from "../request/accept.ts";
import { headerOf } from "../request/header.ts";
import { bytesResponse } from "../response/responses.ts";
import { groupVersionDocument, versionDocument } from "./documents.ts";
import type { OpenApi, OpenApiOptions } from "./types.ts";
import { serveSwagger } from "./v2/serve-swagger.ts";
import { SwaggerDocuments } from "./v2/swagger-documents.ts";

/**
 * Serves OpenAPI v2 and v3. Documents are made when first asked for; a change of the registry costs only those of the group
 * versions that it touched.
 */
export function createOpenApi(options: OpenApiOptions): OpenApi {
  const documentsOf = documentCache(options);
  const swagger = new SwaggerDocuments(options);
  return (request) => {
    const [path = "", query = ""] = request.path.split("?");
    if (path === "/openapi/v2") return serveSwagger(swagger, request);
    const match = /^\/openapi\/v3(?:\/(?<name>.*?))?\/?$/u.exec(path);
    if (match === null) return undefined;
    const documents = documentsOf();
    const name = match.groups?.["name"] ?? "";
    if (name === "") return rootResponse(documents, options);
    const document = documents.get(name);
    // Kubernetes answers without a body here, and so without a content type.
    if (document === undefined) return bytesResponse(404, "", {});
    return documentResponse(request, document(), {
      hash: new URLSearchParams(query).get("hash"),
      name,
      options,
    });
  };
}

/** One document, made when first asked for. */
interface Document extends HashedDocument {
  readonly made: number;
}

type Documents = ReadonlyMap<string, () => Document>;

function documentCache({ registry, table, clock }: OpenApiOptions): () => Documents {
  const known = new Map<
    string,
    { readonly resources: readonly Resource[]; readonly document: () => Document }
  >();
  const hashed = (content: object): Document => ({ ...hashedDocument(content), made: clock.now() });
  const version = once(() => hashed(versionDocument()));
  let current: { readonly generation: number; readonly documents: Documents } | undefined;
  return () => {
    if (current?.generation === registry.generation) return current.documents;
    const groups = Map.groupBy(registry.all(), nameOf);
    for (const name of known.keys()) if (!groups.has(name)) known.delete(name);
    for (const [name, resources] of groups) {
      if (isSame(known.get(name)?.resources, resources)) continue;
      known.set(name, { resources, document: once(() => hashed(groupVersionDocument(table, resources))) });
    }
    const documents = new Map([...known].map(([name, { document }]) => [name, document]));
    current = { generation: registry.generation, documents: documents.set("version", version) };
    return documents;
  };
}

function nameOf({ group, version }: Resource): string {
  return `${group === "" ? "api" : "apis"}/${apiVersionOf({ group, version })}`;
}

function isSame(one: readonly Resource[] | undefined, other: readonly Resource[]): boolean {
  return one?.length === other.length && one.every((resource, index) => resource === other[index]);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function rootResponse(documents: Documents, { clock, remotes }: OpenApiOptions): ApiResponse {
  const own = [...documents].map(
    ([name, document]) => [name, `/openapi/v3/${name}?hash=${document().hash}`] as const,
  );
  // What another server serves, it serves alone.
  const all = new Map([...own, ...(remotes?.openApiPaths() ?? [])]);
  const paths = Object.fromEntries(
    [...all]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, serverRelativeURL]) => [name, { serverRelativeURL }]),
  );
  return bytesResponse(200, JSON.stringify({ paths }), {
    "content-type": "text/plain; charset=utf-8",
    "last-modified": new Date(clock.now()).toUTCString(),
  });
}

function documentResponse(
  request: ApiRequest,
  document: Document,
  {
    hash,
    name,
    options,
  }: { readonly hash: string | null; readonly name: string; readonly options: OpenApiOptions },
): ApiResponse {
  if (!acceptsJson(request)) return bytesResponse(406, "", { vary: "Accept" });
  const headers = {
    "content-type": "application/json",
    "last-modified": new Date(document.made).toUTCString(),
    vary: "Accept",
  };
  if (hash === null || hash === "") return etagResponse(request, document, headers);
  if (hash === document.hash) {
    const expires = new Date(options.clock.now() + yearMs).toUTCString();
    return etagResponse(request, document, { ...headers, "cache-control": "public, immutable", expires });
  }
  return bytesResponse(301, "", {
    "content-type": "application/json",
    etag: `"${document.hash}"`,
    location: `/openapi/v3/${name}?hash=${document.hash}`,
    vary: "Accept",
  });
}

const yearMs = 365 * 24 * 60 * 60 * 1000;

function acceptsJson(request: ApiRequest): boolean {
  const accepted = parseAccept(headerOf(request.headers, "accept"));
  return accepted.length === 0 || accepted.some(({ type }) => jsonTypes.has(type));
}

const jsonTypes: ReadonlySet<string> = new Set(["*/*", "application/*", "application/json"]);
