import { isIP } from "node:net";
import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateDns1035Label,
  validateDns1123Subdomain,
  validateWildcardDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import {
  Ingress,
  type HTTPIngressPath,
  type IngressRule,
  type IngressTLS,
} from "@kedge/machinery/kinds/networking/v1";
import { ingressClassAnnotation } from "../../admission/default-ingress-class.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { named, optionalOneOf } from "../validation/field-rules.ts";
import { validateIp } from "../validation/ip-address.ts";
import { validateBackend } from "./backend.ts";

/** What is wrong with a new ingress. */
export function validateNewIngress(object: StoredApiObject): FieldError[] {
  const className = decodedAs(Ingress, object).spec?.ingressClassName;
  const annotation = object.metadata.annotations?.[ingressClassAnnotation];
  const path = fieldPath("annotations", ingressClassAnnotation);
  const both = "must match `ingressClassName` when both are specified";
  return [
    ...validateIngress(object),
    ...(annotation !== undefined && className !== undefined && annotation !== className
      ? [fieldInvalid(path, annotation, both)]
      : []),
  ];
}

/** What is wrong with an ingress. On update, what is wrong below hosts with a wildcard may be tolerated. */
export function validateIngress(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const { defaultBackend, rules = [], tls = [], ingressClassName } = decodedAs(Ingress, object).spec ?? {};
  const path = fieldPath("spec");
  const isTolerant = previous !== undefined && hasOddWildcard(previous);
  return [
    ...(rules.length === 0 && defaultBackend === undefined
      ? [fieldInvalid(path, null, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, path.child("defaultBackend"))),
    ...rules.flatMap((rule, i) => [
      ...ruleHostErrors(rule, path.child("rules").index(i)),
      ...(isTolerant && isWildcard(rule) ? [] : ruleErrors(rule, path.child("rules").index(i))),
    ]),
    ...tls.flatMap((one, i) => tlsErrors(one, path.child("tls").index(i))),
    ...(ingressClassName === undefined
      ? []
      : named(ingressClassName, validateDns1123Subdomain, path.child("ingressClassName"))),
  ];
}

/** What is wrong with the addresses that an ingress is said to be served at. */
export function validateIngressStatus(object: StoredApiObject): FieldError[] {
  const path = fieldPath("status", "loadBalancer", "ingress");
  const ingress = decodedAs(Ingress, object).status?.loadBalancer?.ingress ?? [];
  return ingress.flatMap(({ ip = "", hostname = "" }, i) => [
    ...(ip === "" ? [] : validateIp(ip, path.index(i).child("ip"))),
    ...(hostname === ""
      ? []
      : [
          ...named(hostname, validateDns1123Subdomain, path.index(i).child("hostname")),
          ...notAddress(hostname, path.index(i).child("hostname")),
        ]),
  ]);
}

/**
 * Whether a rule for hosts with a wildcard has something that Kubernetes once took without looking: then it does not look
 * at such rules. A name of a service that it takes only lately is such a thing, too.
 */
function hasOddWildcard(previous: StoredApiObject): boolean {
  return (decodedAs(Ingress, previous).spec?.rules ?? []).some(
    (rule) =>
      isWildcard(rule) &&
      (ruleErrors(rule, fieldPath("spec")).length > 0 ||
        (rule.http?.paths ?? []).some(
          ({ backend }) => validateDns1035Label(backend?.service?.name ?? "a").length > 0,
        )),
  );
}

function isWildcard({ host = "" }: Decoded<IngressRule>): boolean {
  return host.includes("*");
}

function ruleHostErrors({ host = "" }: Decoded<IngressRule>, path: FieldPath): FieldError[] {
  if (host === "") return [];
  return [...notAddress(host, path.child("host")), ...hostErrors(host, path.child("host"))];
}

function ruleErrors({ http }: Decoded<IngressRule>, path: FieldPath): FieldError[] {
  const paths = path.child("http", "paths");
  return [
    ...(http !== undefined && (http.paths ?? []).length === 0 ? [fieldRequired(paths)] : []),
    ...(http?.paths ?? []).flatMap((one, i) => pathErrors(one, paths.index(i))),
  ];
}

function tlsErrors({ hosts = [], secretName = "" }: Decoded<IngressTLS>, path: FieldPath): FieldError[] {
  return [
    ...hosts.flatMap((host, i) => hostErrors(host, path.child("hosts").index(i))),
    ...(secretName === "" ? [] : named(secretName, validateDns1123Subdomain, path.child("secretName"))),
  ];
}

function hostErrors(host: string, path: FieldPath): FieldError[] {
  return named(host, host.includes("*") ? validateWildcardDns1123Subdomain : validateDns1123Subdomain, path);
}

function notAddress(host: string, path: FieldPath): FieldError[] {
  return isIP(host) === 0 ? [] : [fieldInvalid(path, host, "must be a DNS name, not an IP address")];
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenEnds = ["/..", "/."];

function pathErrors(
  { path = "", pathType, backend = {} }: Decoded<HTTPIngressPath>,
  at: FieldPath,
): FieldError[] {
  // Null where Kubernetes writes a type that is not set.
  if (pathType === undefined || (pathType ?? null) === null)
    return [fieldRequired(at.child("pathType"), "pathType must be specified")];
  const isLoose = pathType === "ImplementationSpecific";
  const isKnown = pathTypes.includes(pathType);
  const invalid = (fault: string): FieldError => fieldInvalid(at.child("path"), path, fault);
  return [
    ...optionalOneOf(pathType, pathTypes, at.child("pathType")),
    ...(isKnown && !path.startsWith("/") && !(isLoose && path === "")
      ? [invalid("must be an absolute path")]
      : []),
    ...(isKnown && !isLoose
      ? [
          ...forbiddenParts
            .filter((part) => path.includes(part))
            .map((part) => invalid(`must not contain '${part}'`)),
          ...forbiddenEnds
            .filter((end) => path.endsWith(end))
            .map((end) => invalid(`cannot end with '${end}'`)),
        ]
      : []),
    ...validateBackend(backend, at.child("backend")),
  ];
}
