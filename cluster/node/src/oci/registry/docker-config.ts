import { getOwn, isJsonObject, type DeepReadonly, type JsonObject } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import { textOf } from "../descriptor.ts";

/** Who one is at the registries that fit `place`. */
export interface RegistryCredential {
  /** As the secret has it: `registry.example.com:5000/team`, `*.example.com`, `https://index.docker.io/v1/`. */
  readonly place: string;
  readonly username: string;
  readonly password: string;
  /** A token that the registry takes as it is. */
  readonly token?: string;
}

/** The credentials in a secret of the types for it. A secret that is none, or damaged, has none. */
export function credentialsIn(secret: DeepReadonly<Secret>): readonly RegistryCredential[] {
  const config = parse(secret.data?.[".dockerconfigjson"]);
  const auths = config === undefined ? parse(secret.data?.[".dockercfg"]) : objectOf(config, "auths");
  return Object.entries(auths ?? {}).flatMap(([place, value]) => {
    if (!isJsonObject(value)) return [];
    const [user, password] = decoded(textOf(value, "auth"));
    const token = textOf(value, "registrytoken");
    const found = {
      place,
      username: textOf(value, "username") || user,
      password: textOf(value, "password") || password,
      ...(token !== "" && { token }),
    };
    return found.username === "" && token === "" ? [] : [found];
  });
}

/** Those that fit an image (`registry.example.com/team/app`), the most exact first, as the kubelet tries them. */
export function credentialsFor(
  repository: string,
  all: readonly RegistryCredential[],
): readonly RegistryCredential[] {
  return all
    .map((credential) => ({ credential, place: placeOf(credential.place) }))
    .filter(({ place }) => fits(place, repository))
    .toSorted((a, b) => (a.place < b.place ? 1 : a.place > b.place ? -1 : 0))
    .map(({ credential }) => credential);
}

/** Without scheme and version of the API, Docker Hub by one name. */
function placeOf(text: string): string {
  const bare = text.replace(/^https?:\/\//iu, "");
  const [host = "", ...path] = bare.split("/");
  const rest = (/^v[12]$/u.test(path[0] ?? "") ? path.slice(1) : path).join("/").replace(/\/+$/u, "");
  const name = ["index.docker.io", "registry-1.docker.io"].includes(host.toLowerCase())
    ? "docker.io"
    : host.toLowerCase();
  return rest === "" ? name : `${name}/${rest}`;
}

function fits(place: string, repository: string): boolean {
  const [host = "", ...path] = place.split("/");
  const [wantedHost = "", ...wanted] = repository.split("/");
  const [name = "", port] = host.split(":");
  const [wantedName = "", wantedPort] = wantedHost.split(":");
  const parts = name.split(".");
  const wantedParts = wantedName.split(".");
  return (
    port === wantedPort &&
    parts.length === wantedParts.length &&
    parts.every((part, i) => matches(part, wantedParts[i] ?? "")) &&
    wanted.join("/").startsWith(path.join("/"))
  );
}

/** One part of a host's name, in which `*` stands for anything. Pieces are looked for in their order: no going back. */
function matches(pattern: string, text: string): boolean {
  const pieces = pattern.split("*");
  const [first = ""] = pieces;
  if (pieces.length === 1) return pattern === text;
  const last = pieces.at(-1) ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > text.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

function parse(base64: string | undefined): JsonObject | undefined {
  if (base64 === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function objectOf(json: JsonObject, key: string): JsonObject | undefined {
  const value = getOwn(json, key);
  return isJsonObject(value) ? value : undefined;
}

function decoded(auth: string): readonly [user: string, password: string] {
  const text = Buffer.from(auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? ["", ""] : [text.slice(0, colon), text.slice(colon + 1).replace(/\0+$/u, "")];
}
