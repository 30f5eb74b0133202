import {
  fieldInvalid,
  fieldRequired,
  validateDns1123Subdomain,
  validatePortNumber,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { ServiceReference, WebhookClientConfig } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** What is wrong with the way to a webhook: a URL or a Service. */
export function validateClientConfig(
  config: Decoded<WebhookClientConfig> | undefined,
  path: FieldPath,
): FieldError[] {
  const { url, service } = config ?? {};
  if (url !== undefined && service === undefined) return urlErrors(url, path.child("url"));
  if (url === undefined && service !== undefined) return serviceErrors(service, path.child("service"));
  return [fieldRequired(path, "exactly one of url or service is required")];
}

const form = "; desired format: https://host[/path]";

function urlErrors(text: string, path: FieldPath): FieldError[] {
  const parts = urlParts(text);
  if (typeof parts === "string")
    return [fieldRequired(path, `url must be a valid URL: parse ${JSON.stringify(text)}: ${parts}${form}`)];
  const { scheme, host, user, fragment, query } = parts;
  return [
    ...(scheme === "https"
      ? []
      : [fieldInvalid(path, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(host === "" ? [fieldInvalid(path, host, `host must be specified${form}`)] : []),
    ...(user === undefined ? [] : [fieldInvalid(path, user, "user information is not permitted in the URL")]),
    ...(fragment === "" ? [] : [fieldInvalid(path, fragment, "fragments are not permitted in the URL")]),
    ...(query === "" ? [] : [fieldInvalid(path, query, "query parameters are not permitted in the URL")]),
  ];
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly user: string | undefined;
  readonly fragment: string;
  readonly query: string;
}

const pattern =
  /^(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:(?<user>[^/?#]*)@)?(?<host>[^/?#]*))?[^?#]*(?:\?(?<query>[^#]*))?(?:#(?<fragment>.*))?$/su;

/** As Go takes a URL apart; why it does not, in its words. */
function urlParts(text: string): UrlParts | string {
  if (/\p{Cc}/u.test(text)) return "net/url: invalid control character in URL";
  if (text.startsWith(":")) return "missing protocol scheme";
  const { scheme = "", host = "", user, query = "", fragment = "" } = pattern.exec(text)?.groups ?? {};
  const port = /^(?:\[[^\]]*\]|[^:]*)(?<port>:.*)?$/u.exec(host)?.groups?.["port"] ?? "";
  if (!/^(?::\d*)?$/u.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  if (/[ "<>^`{|}\\]/u.test(host))
    return `invalid character ${JSON.stringify(/[ "<>^`{|}\\]/u.exec(host)?.[0])} in host name`;
  return { scheme: scheme.toLowerCase(), host, user, fragment, query };
}

function serviceErrors(
  { name = "", namespace = "", port = 0, path: urlPath }: Decoded<ServiceReference>,
  path: FieldPath,
): FieldError[] {
  const wrongPort = validatePortNumber(port);
  return [
    ...(name === "" ? [fieldRequired(path.child("name"))] : []),
    ...(namespace === "" ? [fieldRequired(path.child("namespace"))] : []),
    ...(wrongPort.length > 0
      ? [fieldInvalid(path.child("port"), port, `port is not valid: ${wrongPort.join(", ")}`)]
      : []),
    ...pathErrors(urlPath ?? "", path.child("path")),
  ];
}

function pathErrors(text: string, path: FieldPath): FieldError[] {
  if (text === "" || text === "/") return [];
  if (text === "//") return [fieldInvalid(path, text, "segment[0] may not be empty")];
  const segments = text.slice(1).replace(/\/$/u, "").split("/");
  return [
    ...(text.startsWith("/") ? [] : [fieldInvalid(path, text, "must start with a '/'")]),
    ...segments.flatMap((segment, i) =>
      segment === ""
        ? [fieldInvalid(path, text, `segment[${i}] may not be empty`)]
        : validateDns1123Subdomain(segment).map((fault) =>
            fieldInvalid(path, text, `segment[${i}]: ${fault}`),
          ),
    ),
  ];
}
