import {
  fieldInvalid,
  fieldRequired,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePortName,
  validatePortNumber,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { TypedLocalObjectReference } from "@kedge/machinery/kinds/core/v1";
import type { IngressBackend, IngressServiceBackend } from "@kedge/machinery/kinds/networking/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with where requests are led. */
export function validateBackend(
  { resource, service }: Decoded<IngressBackend>,
  path: FieldPath,
): FieldError[] {
  if (resource !== undefined && service !== undefined)
    return [fieldInvalid(path, "", "cannot set both resource and service backends")];
  if (resource !== undefined) return validateTypedReference(resource, path.child("resource"));
  if (service === undefined) return [fieldInvalid(path, "", "resource or service backend is required")];
  return serviceErrors(service, path);
}

/** What is wrong with a reference to an object of some kind. */
export function validateTypedReference(
  { apiGroup, kind = "", name = "" }: Decoded<TypedLocalObjectReference>,
  path: FieldPath,
): FieldError[] {
  return [
    // Null where Kubernetes writes a group that is not set.
    ...(apiGroup === undefined || (apiGroup ?? null) === null
      ? []
      : named(apiGroup, validateDns1123Subdomain, path.child("apiGroup"))),
    ...segment(kind, path.child("kind")),
    ...segment(name, path.child("name")),
  ];
}

function serviceErrors(
  { name = "", port = {} }: Decoded<IngressServiceBackend>,
  path: FieldPath,
): FieldError[] {
  const service = path.child("service");
  return [
    ...(name === ""
      ? [fieldRequired(service.child("name"))]
      : named(name, validateDns1123Label, service.child("name"))),
    ...portErrors(port.name ?? "", port.number ?? 0, path),
  ];
}

function portErrors(name: string, number: number, path: FieldPath): FieldError[] {
  const port = path.child("service", "port");
  if (name !== "" && number !== 0) return [fieldInvalid(path, "", "cannot set both port name & port number")];
  if (name !== "") return named(name, validatePortName, port.child("name"));
  if (number !== 0) return named(number, validatePortNumber, port.child("number"));
  return [fieldRequired(path, "port name or number is required")];
}

function segment(value: string, path: FieldPath): FieldError[] {
  return value === "" ? [fieldRequired(path)] : named(value, validatePathSegmentName, path);
}
