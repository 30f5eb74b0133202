import { isJsonObject, type JsonObject } from "@kedge/machinery";
import type { User } from "../registry/types.ts";
import { hostAndPort, type RemoteClient } from "./remote-client.ts";
import { identityHeaders } from "./remote-headers.ts";
import type { RemoteService } from "./types.ts";

/** As whom this server asks another on its own behalf. */
const aggregator: User = { name: "system:kube-aggregator", groups: ["system:masters"] };

/** How long it may take: all clients wait for what a cluster serves. */
const patience = 5_000;

/** So many bytes of what a server says of itself are read: to parse more would hold others up. */
const longestDocument = 2 * 1024 * 1024;

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Asks whether a server serves its group version at all. Rejects with why not, in the words of kube-aggregator. */
export async function checkDiscovery(client: RemoteClient, remote: RemoteService): Promise<void> {
  const address = client.addressOf(remote);
  const path = versionPath(remote);
  const url = `https://${hostAndPort(address)}${path}`;
  const failing = (why: string): Error => new Error(`failing or missing response from ${url}: ${why}`);
  let status: number;
  try {
    const answer = await client.send(remote, address, getting(path, "application/json"));
    status = answer.statusCode ?? 0;
    answer.destroy();
  } catch (error) {
    throw failing(`Get ${JSON.stringify(url)}: ${error instanceof Error ? error.message : ""}`);
  }
  if (status < 200 || status > 299) throw failing(`bad status from ${url}: ${status}`);
}

/** Asks a server what it has in its group version, as `APIVersionDiscovery` lists it. */
export async function readResources(
  client: RemoteClient,
  remote: RemoteService,
): Promise<readonly JsonObject[]> {
  const all = await readJson(client, remote, { path: "/apis", accept: aggregatedType });
  const found = all === undefined ? undefined : resourcesIn(all, remote);
  if (found !== undefined) return found;
  const list = await readJson(client, remote, { path: versionPath(remote), accept: "application/json" });
  return list === undefined ? [] : fromResourceList(objectsIn(list["resources"]), remote);
}

/** Asks a server where its document of OpenAPI v3 is; undefined: it has none. */
export async function readOpenApiPath(
  client: RemoteClient,
  remote: RemoteService,
): Promise<string | undefined> {
  const index = await readJson(client, remote, { path: "/openapi/v3", accept: "application/json" });
  const paths = index?.["paths"];
  const entry = isJsonObject(paths) ? paths[`apis/${remote.group}/${remote.version}`] : undefined;
  const url = isJsonObject(entry) ? entry["serverRelativeURL"] : undefined;
  return typeof url === "string" && url.startsWith("/openapi/v3/") ? url : undefined;
}

function versionPath({ group, version }: RemoteService): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

function getting(path: string, accept: string) {
  return { method: "GET", path, patience, headers: { accept, ...identityHeaders(aggregator) } };
}

async function readJson(
  client: RemoteClient,
  remote: RemoteService,
  { path, accept }: { readonly path: string; readonly accept: string },
): Promise<JsonObject | undefined> {
  const { status, body } = await client.read(remote, getting(path, accept), longestDocument);
  if (status !== 200) return undefined;
  const parsed: unknown = JSON.parse(body.toString("utf8"));
  return isJsonObject(parsed) ? parsed : undefined;
}

/** What an APIGroupDiscoveryList has of a group version; undefined: it is none, or lacks it. */
function resourcesIn(list: JsonObject, { group, version }: RemoteService): readonly JsonObject[] | undefined {
  if (list["kind"] !== "APIGroupDiscoveryList") return undefined;
  const found = objectsIn(list["items"]).find(
    ({ metadata }) => isJsonObject(metadata) && metadata["name"] === group,
  );
  const entry = objectsIn(found?.["versions"]).find((each) => each["version"] === version);
  return entry === undefined ? undefined : objectsIn(entry["resources"]).map(resourceFacts);
}

/** Only what discovery knows, of the types that it knows: what else a server says would be told to all clients. */
function resourceFacts(resource: JsonObject): JsonObject {
  const subresources = objectsIn(resource["subresources"]).map((each) => ({
    subresource: textOr(each["subresource"], ""),
    ...kindFact(each),
    ...textsFact(each, "acceptedTypes"),
    verbs: textsIn(each["verbs"]),
  }));
  return {
    resource: textOr(resource["resource"], ""),
    ...kindFact(resource),
    scope: resource["scope"] === "Namespaced" ? "Namespaced" : "Cluster",
    singularResource: textOr(resource["singularResource"], ""),
    verbs: textsIn(resource["verbs"]),
    ...textsFact(resource, "shortNames"),
    ...textsFact(resource, "categories"),
    ...(subresources.length > 0 && { subresources }),
  };
}

function kindFact({ responseKind: kind }: JsonObject): JsonObject {
  if (!isJsonObject(kind)) return {};
  const [group, version] = [textOr(kind["group"], ""), textOr(kind["version"], "")];
  return { responseKind: { group, version, kind: textOr(kind["kind"], "") } };
}

function textsFact(from: JsonObject, name: string): JsonObject {
  return from[name] === undefined ? {} : { [name]: textsIn(from[name]) };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : [];
}

/** Makes the new form of discovery of the old one, in which `pods/log` stands beside `pods`. */
function fromResourceList(
  resources: readonly JsonObject[],
  { group, version }: RemoteService,
): readonly JsonObject[] {
  const kindOf = (resource: JsonObject): JsonObject => ({
    group: textOr(resource["group"], group),
    version: textOr(resource["version"], version),
    kind: textOr(resource["kind"], ""),
  });
  const partsOf = Map.groupBy(
    resources.filter((resource) => nameOf(resource).includes("/")),
    (resource) => nameOf(resource).split("/", 1)[0] ?? "",
  );
  const whole = resources.filter((resource) => nameOf(resource) !== "" && !nameOf(resource).includes("/"));
  return whole.map((resource) =>
    resourceFacts({
      ...resource,
      resource: nameOf(resource),
      responseKind: kindOf(resource),
      scope: resource["namespaced"] === true ? "Namespaced" : "Cluster",
      singularResource: resource["singularName"],
      subresources: (partsOf.get(nameOf(resource)) ?? []).map((each) => ({
        subresource: nameOf(each).slice(nameOf(resource).length + 1),
        responseKind: kindOf(each),
        verbs: each["verbs"],
      })),
    }),
  );
}

function nameOf({ name }: JsonObject): string {
  return textOr(name, "");
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}
