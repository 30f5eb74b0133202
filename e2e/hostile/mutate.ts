import { isJsonList, isJsonObject, type Random } from "@kedge/machinery";
import type { HostileRequest } from "./shapes/shape.ts";

/** Changes a valid request in one to three places: its method, path, query, headers, body as bytes or as data. */
export function mutated(request: HostileRequest, random: Random): HostileRequest {
  let changed = request;
  for (let times = 1 + random.int(3); times > 0; times--) changed = oneOf(random, mutations)(changed, random);
  return changed;
}

type Mutation = (request: HostileRequest, random: Random) => HostileRequest;

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "BREW"];

const words = [
  "",
  ".",
  "..",
  "-",
  "%00",
  "%2F",
  "%ff",
  "%",
  "constructor",
  "__proto__",
  "toString",
  "status",
  "scale",
  "watch",
  "namespaces",
  "default",
  "ümlaut",
  "a".repeat(300),
  "A_B",
  "0",
  "1.5",
  "-1",
  "1e999",
  "99999999999999999999",
  "null",
  "true",
  "*",
  "a=b,c in (d",
  "metadata.name=a",
  "\\",
  "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MS41fQ",
];

const parameters = [
  "watch",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "labelSelector",
  "fieldSelector",
  "timeoutSeconds",
  "allowWatchBookmarks",
  "sendInitialEvents",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "force",
  "pretty",
  "gracePeriodSeconds",
  "propagationPolicy",
  "orphanDependents",
  "container",
  "follow",
  "tailLines",
];

const headers = [
  "accept",
  "content-type",
  "accept-encoding",
  "content-encoding",
  "if-none-match",
  "authorization",
  "impersonate-user",
  "impersonate-group",
  "impersonate-uid",
  "impersonate-extra-x",
  "audit-id",
  "user-agent",
  "upgrade",
  "connection",
  "sec-websocket-protocol",
];

const headerValues = [
  "",
  "*/*",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/json; charset=utf-8; q=x",
  "gzip",
  "gzip;q=0, *;q=9",
  "Bearer x",
  "system:masters",
  "constructor",
  "__proto__",
  "x".repeat(5000),
];

const oddValues: readonly unknown[] = [
  null,
  true,
  "",
  "a",
  0,
  -1,
  1.5,
  1e308,
  2 ** 53 + 2,
  [],
  {},
  [null],
  [[]],
  { "": null },
  { a: { b: [{}] } },
  "\u0000",
  "\ud800",
  "x".repeat(2000),
  "2026-01-01T00:00:00Z",
  "100Gi",
  "999999999999999999999999E",
  [1, "a", null, {}],
];

const oddKeys = [
  "",
  "__proto__",
  "constructor",
  "name",
  "$patch",
  "$retainKeys",
  "$setElementOrder/x",
  "f:a",
  "a.b/c",
];

const mutations: readonly Mutation[] = [
  (request, random) => ({ ...request, method: oneOf(random, methods) }),
  (request, random) => ({ ...request, path: changedPath(request.path, random) }),
  (request, random) => ({ ...request, path: withParameter(request.path, random) }),
  (request, random) => ({
    ...request,
    headers: { ...request.headers, [oneOf(random, headers)]: oneOf(random, headerValues) },
  }),
  (request, random) => ({ ...request, body: changedBytes(bytesOf(request), random) }),
  changedData,
  changedData,
  changedData,
];

function changedPath(path: string, random: Random): string {
  const [place = "", query] = path.split("?", 2);
  const parts = place.split("/");
  const at = random.int(parts.length);
  const how = random.int(4);
  if (how === 0) parts.splice(at, 1);
  else if (how === 1) parts.splice(at, 0, oneOf(random, words));
  else if (how === 2) parts[at] = oneOf(random, words);
  else parts.splice(at, 0, ...parts.slice(0, at));
  const changed = parts.join("/");
  return `${changed.startsWith("/") ? "" : "/"}${changed}${query === undefined ? "" : `?${query}`}`;
}

function withParameter(path: string, random: Random): string {
  const value = oneOf(random, words);
  const text = random.int(4) === 0 ? value : encodeURIComponent(value);
  return `${path}${path.includes("?") ? "&" : "?"}${oneOf(random, parameters)}=${text}`;
}

function bytesOf({ body = "" }: HostileRequest): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

function changedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.int(bytes.length + 1);
  const start = bytes.subarray(0, at);
  const rest = bytes.subarray(at);
  switch (random.int(4)) {
    case 0:
      return start;
    case 1:
      return Buffer.concat([start, rest.subarray(1 + random.int(8))]);
    case 2:
      return Buffer.concat([start, Uint8Array.from([random.int(256)]), rest.subarray(1)]);
    default:
      return Buffer.concat([bytes, start]);
  }
}

function changedData(request: HostileRequest, random: Random): HostileRequest {
  const { body } = request;
  if (typeof body !== "string") return { ...request, body: changedBytes(bytesOf(request), random) };
  try {
    const value: unknown = JSON.parse(body);
    return { ...request, body: JSON.stringify(changedValue(value, random)) ?? "" };
  } catch {
    return { ...request, body: changedBytes(bytesOf(request), random) };
  }
}

function changedValue(value: unknown, random: Random): unknown {
  if (isJsonList(value) && value.length > 0 && random.int(5) > 0) {
    const at = random.int(value.length);
    return value.flatMap((item, index) => {
      if (index !== at) return [item];
      return random.int(4) === 0 ? [item, item] : [changedValue(item, random)];
    });
  }
  if (isJsonObject(value) && random.int(6) > 0) return changedObject(value, random);
  return oneOf(random, oddValues);
}

function changedObject(value: Record<string, unknown>, random: Random): unknown {
  const entries = Object.entries(value);
  const at = random.int(entries.length + 1);
  const entry = entries[at];
  if (entry === undefined) entries.push([oneOf(random, oddKeys), oneOf(random, oddValues)]);
  else if (random.int(5) === 0) entries.splice(at, 1);
  else entries[at] = [entry[0], changedValue(entry[1], random)];
  return Object.fromEntries(entries);
}

/** Any of these, each as likely. */
export function oneOf<T>(random: Random, items: readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new RangeError("there is nothing to choose from");
  return item;
}
