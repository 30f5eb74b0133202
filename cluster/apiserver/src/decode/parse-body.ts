import {
  isJsonObject,
  messageOf,
  StatusError,
  unsupportedMediaType,
  type JsonObject,
} from "@kedge/machinery";
import type { SchemaTable } from "@kedge/machinery/schema-table";
import { decodeProtobuf } from "../protobuf/index.ts";
import { parseMediaType } from "../request/accept.ts";
import { DecodeError } from "./decode-error.ts";
import { goKindOf } from "./go-place.ts";
import { checkValues } from "./most-values.ts";
import { parseJson } from "./parse-json.ts";
import type { BodyText } from "./strict-errors.ts";
import type { YamlReader } from "./yaml-reader.ts";

/** A body as data, before anything is known of its kind. */
export interface ParsedBody {
  readonly value: JsonObject;
  readonly text: BodyText;
  /** What else `fieldValidation` is to know, in the words of the server. */
  readonly problems?: readonly string[];
  /** What is there twice in YAML: `line 5: key "data" already set in map`. */
  readonly duplicates?: readonly string[];
}

/** What bodies are read with. */
export interface BodyReaders {
  readonly table: SchemaTable;
  readonly yaml: YamlReader;
}

/** What bodies may be. */
const bodyTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"] as const;

/** Reads a body by its content type; without one it is JSON. Throws a 415, or a `DecodeError`. */
export async function parseBody(
  bytes: Uint8Array,
  contentType: string,
  { table, yaml }: BodyReaders,
): Promise<ParsedBody> {
  const { type } = parseMediaType(contentType);
  switch (type) {
    case "":
    case "application/json":
      return parseJsonBody(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), "as written");
    case "application/yaml": {
      const { json, duplicates } = await yaml.read(new TextDecoder().decode(bytes), "only");
      // Its order is lost on the way to JSON, and what is there twice with it.
      return { value: parseJsonBody(json, "as values").value, text: noText, duplicates };
    }
    case "application/vnd.kubernetes.protobuf":
      return { value: fromProtobuf(bytes, table), text: noText };
    default:
      throw unsupportedMediaType(bodyTypes);
  }
}

/** Reads JSON with Go's errors; null is an empty object. */
function parseJsonBody(text: string, numbers: "as written" | "as values"): ParsedBody {
  try {
    const { value, hasDuplicates, hasWritten } = parseJson(text, 1, numbers);
    return { value: objectOf(value), text: { json: text, hasDuplicates, hasWritten } };
  } catch (cause) {
    if (cause instanceof DecodeError || cause instanceof StatusError) throw cause;
    const why = messageOf(cause);
    throw new DecodeError(`couldn't get version/kind; json parse error: ${why}`, { cause });
  }
}

const noText: BodyText = { json: undefined, hasDuplicates: false, hasWritten: false };

function objectOf(value: unknown): JsonObject {
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  throw new DecodeError(`couldn't get version/kind; json parse error: ${noTypeMeta(value)}`);
}

/** What Go says of JSON that is no object, when it looks for its kind. */
export function noTypeMeta(value: unknown): string {
  return `json: cannot unmarshal ${goKindOf(value)} into Go value of type ${typeMeta}`;
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function fromProtobuf(bytes: Uint8Array, table: SchemaTable): JsonObject {
  const { object } = decoded(bytes, table);
  checkValues(object);
  return object;
}

function decoded(bytes: Uint8Array, table: SchemaTable): ReturnType<typeof decodeProtobuf> {
  try {
    return decodeProtobuf(bytes, table);
  } catch (cause) {
    throw new DecodeError(messageOf(cause), { cause });
  }
}
