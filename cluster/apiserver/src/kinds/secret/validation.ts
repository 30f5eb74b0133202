import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  validateConfigMapKey,
  type FieldError,
} from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { JsonSyntaxError, scanJson } from "../../decode/scan-json.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { maxBytes, sizeOfBytes, validateImmutableData } from "../config-map/validation.ts";
import { immutable, named } from "../validation/field-rules.ts";

/** What is wrong with a secret by itself. Values are never repeated. */
export function validateSecret(object: StoredApiObject): FieldError[] {
  const secret = decodedAs(Secret, object);
  const { data = {} } = secret;
  const path = fieldPath("data");
  return [
    ...Object.keys(data).flatMap((key) => named(key, validateConfigMapKey, path.key(key))),
    ...(sizeOfBytes(data) > maxBytes ? [fieldTooLong(path, maxBytes)] : []),
    ...typeErrors(secret),
  ];
}

/** What is wrong with changing a secret so. */
export function validateSecretUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  return [
    ...immutable(object["type"], previous["type"], fieldPath("type")),
    ...validateImmutableData(object, previous, ["data"]),
  ];
}

function typeErrors({ type, data = {}, metadata }: Decoded<Secret>): FieldError[] {
  switch (type) {
    case "kubernetes.io/service-account-token": {
      const key = "kubernetes.io/service-account.name";
      return (metadata?.annotations?.[key] ?? "") === ""
        ? [fieldRequired(fieldPath("metadata", "annotations").key(key))]
        : [];
    }
    case "kubernetes.io/dockercfg":
      return jsonErrors(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return jsonErrors(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth":
      return data["username"] === undefined && data["password"] === undefined
        ? missing({}, ["username", "password"])
        : [];
    case "kubernetes.io/ssh-auth":
      return (data["ssh-privatekey"] ?? "") === "" ? missing({}, ["ssh-privatekey"]) : [];
    case "kubernetes.io/tls":
      return missing(data, ["tls.crt", "tls.key"]);
    default:
      return [];
  }
}

type Data = Readonly<Record<string, string | undefined>>;

function missing(data: Data, keys: readonly string[]): FieldError[] {
  return keys
    .filter((key) => data[key] === undefined)
    .map((key) => fieldRequired(fieldPath("data").key(key)));
}

function jsonErrors(data: Data, key: string): FieldError[] {
  const value = data[key];
  const path = fieldPath("data").key(key);
  if (value === undefined) return [fieldRequired(path)];
  const fault = objectFault(Buffer.from(value ?? "", "base64").toString());
  return fault === undefined ? [] : [fieldInvalid(path, "<secret contents redacted>", fault)];
}

/** As Go says it, which names one character at most: the words of this parser would repeat the secret. */
function objectFault(text: string): string | undefined {
  let value: unknown;
  try {
    scanJson(text);
    value = JSON.parse(text);
  } catch (error) {
    return error instanceof JsonSyntaxError ? error.message : "invalid character in JSON";
  }
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}
