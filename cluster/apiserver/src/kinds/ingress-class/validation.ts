import {
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  validateDns1123Label,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { IngressClass, type IngressClassParametersReference } from "@kedge/machinery/kinds/networking/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { validateTypedReference } from "../ingress/backend.ts";
import { immutable, named, optionalOneOf } from "../validation/field-rules.ts";

const longestController = 250;
const pathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/u;

/** What is wrong with an ingress class. */
export function validateIngressClass(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const { controller = "", parameters } = decodedAs(IngressClass, object).spec ?? {};
  const path = fieldPath("spec", "controller");
  return [
    ...(previous === undefined
      ? []
      : immutable(controller, decodedAs(IngressClass, previous).spec?.controller ?? "", path)),
    ...(Buffer.byteLength(controller) > longestController ? [fieldTooLong(path, longestController)] : []),
    ...controllerErrors(controller, path),
    ...(parameters === undefined ? [] : parameterErrors(parameters, fieldPath("spec", "parameters"))),
  ];
}

/** `example.com/ingress`. */
function controllerErrors(controller: string, path: FieldPath): FieldError[] {
  if (controller === "") return [fieldRequired(path)];
  const slash = controller.indexOf("/");
  const [host, rest] = [controller.slice(0, Math.max(slash, 0)), controller.slice(slash + 1)];
  if (host === "" || rest === "")
    return [fieldInvalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const fault = `Invalid path (regex used for validation is '${pathPattern.source.slice(1, -1)}')`;
  return [
    ...named(host, validateDns1123Subdomain, path),
    ...(pathPattern.test(rest) ? [] : [fieldInvalid(path, rest, fault)]),
  ];
}

function parameterErrors(
  parameters: Decoded<IngressClassParametersReference>,
  path: FieldPath,
): FieldError[] {
  const { scope, namespace } = parameters;
  const place = path.child("namespace");
  return [
    ...validateTypedReference(parameters, path),
    ...(scope === undefined ? [fieldRequired(path.child("scope"))] : []),
    ...optionalOneOf(scope, ["Cluster", "Namespace"], path.child("scope")),
    ...(scope === "Namespace" && namespace === undefined
      ? [fieldRequired(place, "`parameters.scope` is set to 'Namespace'")]
      : []),
    ...(scope === "Namespace" && namespace !== undefined
      ? named(namespace, validateDns1123Label, place)
      : []),
    ...(scope === "Cluster" && namespace !== undefined
      ? [fieldForbidden(place, "`parameters.scope` is set to 'Cluster'")]
      : []),
  ];
}
