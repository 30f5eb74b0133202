import { goQuote } from "@kedge/machinery";
import { hasControl, isRequestUri } from "../../formats/uris.ts";
import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { boolType, listOf, mapOf, stringType, structType } from "../values/types.ts";
import { CelError, PlainList, PlainMap, type Opaque, type Value } from "../values/values.ts";
import { fn, method, texts } from "./declare.ts";

export const urlType = structType("kubernetes.URL");

class Url implements Opaque {
  readonly opaque = urlType;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    const { scheme = "", host = "", path = "", query = "" } = parts.exec(text)?.groups ?? {};
    this.scheme = scheme.toLowerCase();
    this.host = host.slice(host.lastIndexOf("@") + 1);
    this.path = path;
    this.query = query;
  }

  equals(other: Value): boolean {
    return other instanceof Url && other.#text === this.#text;
  }

  get hostname(): string {
    const bracketed = /^\[(?<inside>.*)\](?::\d*)?$/u.exec(this.host)?.groups?.["inside"];
    return bracketed ?? this.host.replace(/:\d*$/u, "");
  }

  get port(): string {
    return /:(?<port>\d*)$/u.exec(this.host.replace(/^\[.*\]/u, ""))?.groups?.["port"] ?? "";
  }
}

const parts =
  /^(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?<host>[^/?#]*))?(?<path>[^?#]*)(?:\?(?<query>[^#]*))?/su;

/** Kubernetes' library of URLs. */
export function urls(): Overload[] {
  const getter = (name: string, id: string, get: (url: Url) => string): Overload =>
    method(name, id, [urlType, stringType], (url = null) => (url instanceof Url ? get(url) : noSuchOverload));
  return [
    fn(
      "url",
      "string_to_url",
      [stringType, urlType],
      texts((text = "") => urlOf(text)),
    ),
    fn(
      "isURL",
      "is_url_string",
      [stringType, boolType],
      texts((text = "") => isRequestUri(text)),
    ),
    getter("getScheme", "url_get_scheme", ({ scheme }) => scheme),
    getter("getHost", "url_get_host", ({ host }) => host),
    getter("getHostname", "url_get_hostname", ({ hostname }) => hostname),
    getter("getPort", "url_get_port", ({ port }) => port),
    getter("getEscapedPath", "url_get_escaped_path", ({ path }) => escapedPath(path)),
    method("getQuery", "url_get_query", [urlType, mapOf(stringType, listOf(stringType))], (url = null) =>
      url instanceof Url ? queryOf(url.query) : noSuchOverload,
    ),
  ];
}

function urlOf(text: string): Value {
  if (isRequestUri(text)) return new Url(text);
  const why = text === "" ? "empty url" : whyNot(text);
  return new CelError(`URL parse error during conversion from string: parse ${goQuote(text)}: ${why}`);
}

/** Why a text is no URL, as far as it is known; Go has more words for it. */
export function whyNot(text: string): string {
  if (text === "") return "empty url";
  if (hasControl(text)) return "net/url: invalid control character in URL";
  if (text.startsWith(":")) return "missing protocol scheme";
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/u.exec(text)?.[0];
  if (escape !== undefined) return `invalid URL escape ${goQuote(escape)}`;
  const host = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?<host>[^/?]*)/u.exec(text)?.groups?.["host"];
  const port = host === undefined ? undefined : /:(?<port>[^:\]]*)$/u.exec(host)?.[0];
  if (port !== undefined && !/^:\d*$/u.test(port)) return `invalid port ${goQuote(port)} after host`;
  const character = host === undefined ? undefined : /[ \\^`{|}"<>]/u.exec(host)?.[0];
  if (character !== undefined) return `invalid character ${goQuote(character)} in host name`;
  return "invalid URI for request";
}

/** Valid escapes stay, what needs one gets it. */
function escapedPath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]/gu, (character) => encodeURIComponent(character));
}

function queryOf(query: string): Value {
  const entries = new Map<string, [string, string[]]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = unescaped(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescaped(equals < 0 ? "" : pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const known = entries.get(`s${key}`) ?? [key, []];
    known[1].push(value);
    entries.set(`s${key}`, known);
  }
  return new PlainMap(
    new Map(Array.from(entries, ([id, [key, values]]) => [id, [key, new PlainList(values)] as const])),
  );
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
