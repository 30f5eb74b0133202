import { isJsonObject, unsupportedMediaType, type JsonObject } from "@kedge/machinery";
import type { SchemaTable } from "@kedge/machinery/schema-table";
import { parseDocument } from "yaml";
import { decodeProtobuf } from "../protobuf/index.ts";
import { parseMediaType } from "../request/accept.ts";
import { DecodeError } from "./decode-error.ts";
import { goKindOf } from "./go-place.ts";
import { yamlErrorText } from "./yaml-error-text.ts";
import { yamlValue } from "./yaml-value.ts";
import { scanJson, type JsonScan } from "./scan-json.ts";

/** A body as data, before anything is known of its kind. */
export interface ParsedBody {
  readonly value: JsonObject;
  /** Of JSON and YAML: what is there twice, and in which order everything came. */
  readonly scan: JsonScan;
  /** What else `fieldValidation` is to know, in the words of the server. */
  readonly problems?: readonly string[];
}

/** What bodies may be. */
const bodyTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"] as const;

/** Reads a body by its content type; without one it is JSON. Throws a 415, or a `DecodeError`. */
export function parseBody(bytes: Uint8Array, contentType: string, table: SchemaTable): ParsedBody {
  const { type } = parseMediaType(contentType);
  switch (type) {
    case "":
    case "application/json":
      return parseJson(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    case "application/yaml":
      return parseYaml(new TextDecoder().decode(bytes));
    case "application/vnd.kubernetes.protobuf":
      return { value: fromProtobuf(bytes, table), scan: nothing };
    default:
      throw unsupportedMediaType(bodyTypes);
  }
}

/** Reads JSON with Go's errors; null is an empty object. */
function parseJson(text: string): ParsedBody {
  const scan = scanned(text);
  const value: unknown = JSON.parse(text);
  return { value: objectOf(value), scan };
}

/** Reads YAML of the old version, in which `yes` is true. */
function parseYaml(text: string): ParsedBody {
  const document = parseDocument(text, { version: "1.1", uniqueKeys: false, stringKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw new DecodeError(yamlErrorText(error.code, text));
  const value = yamlValue(document);
  return { value: objectOf(value), scan: scanJson(JSON.stringify(value)) };
}

const nothing: JsonScan = { duplicates: [], paths: [] };

function scanned(text: string): JsonScan {
  try {
    return scanJson(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeError(`couldn't get version/kind; json parse error: ${why}`, { cause });
  }
}

function objectOf(value: unknown): JsonObject {
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  throw new DecodeError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(value)} into Go value of type ${typeMeta}`,
  );
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function fromProtobuf(bytes: Uint8Array, table: SchemaTable): JsonObject {
  try {
    return decodeProtobuf(bytes, table).object;
  } catch (cause) {
    throw new DecodeError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
