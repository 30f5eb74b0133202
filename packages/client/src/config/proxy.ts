import { isDirect } from "./no-proxy.ts";
import { placeError, type Place } from "./place.ts";
import { redactUrl } from "./redact.ts";

/** What decides about the proxy of a server. */
export interface ProxyChoice {
  /** URL of the API server. */
  readonly server: string;
  /** The `proxy-url` of the cluster. */
  readonly proxyUrl?: { readonly value: string; readonly place: Place } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Chooses the proxy for a server. A `proxy-url` is used in any case, as kubectl does; otherwise the environment
 * decides, where NO_PROXY names what is reached directly.
 */
export function chooseProxy({ server, proxyUrl, env }: ProxyChoice): string | undefined {
  if (proxyUrl !== undefined) return checkProxy(proxyUrl.value, proxyUrl.place);
  const url = new URL(server);
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = variableOf(env, name) ?? variableOf(env, "ALL_PROXY");
  if (variable === undefined) return undefined;
  const target = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? defaultPort(url) : url.port,
  };
  if (isDirect(target, variableOf(env, "NO_PROXY")?.value ?? "")) return undefined;
  const value = /^[a-z][a-z\d+.-]*:\/\//i.test(variable.value) ? variable.value : `http://${variable.value}`;
  return checkProxy(value, { document: "environment", path: variable.name, code: "CONFIG" });
}

/** The upper-case variable wins over the lower-case one; an empty one counts as absent. */
function variableOf(
  env: ProxyChoice["env"],
  name: string,
): { readonly name: string; readonly value: string } | undefined {
  return [name, name.toLowerCase()]
    .map((each) => ({ name: each, value: env[each]?.trim() ?? "" }))
    .find(({ value }) => value !== "");
}

function defaultPort(url: URL): string {
  return url.protocol === "https:" ? "443" : "80";
}

const schemes = new Set(["http:", "https:", "socks5:"]);

function checkProxy(value: string, place: Place): string {
  // Both mean here that the proxy resolves the name.
  const url = URL.parse(value.replace(/^socks5h:/i, "socks5:"));
  if (url !== null && schemes.has(url.protocol) && url.hostname !== "") return url.href.replace(/\/$/, "");
  throw placeError(place, `must be a URL with http, https or socks5, got "${redactUrl(value)}"`);
}
