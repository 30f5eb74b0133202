import {
  apiVersionOf,
  badRequest,
  fieldInvalid,
  goQuote,
  invalid,
  isJsonObject,
  messageOf,
  StatusError,
  type GroupVersionKind,
  type JsonObject,
} from "@kedge/machinery";
import type { ApiObject, CustomDecoder } from "../registry/types.ts";
import type { Pause } from "../request/pause.ts";
import type { FieldValidation } from "../request/query.ts";
import { DecodeError } from "./decode-error.ts";
import { parseBody, type BodyReaders, type ParsedBody } from "./parse-body.ts";
import { strictErrors, type StrictOrder } from "./strict-errors.ts";
import { checkTyped } from "./typed-value.ts";
import { settleNumbers } from "./written-number.ts";

/** What a body is decoded as. */
export interface DecodeOptions extends BodyReaders {
  /** The kind that the path names: bodies without one are taken for it. */
  readonly expected: GroupVersionKind;
  /** Versions of that kind that look the same, and are taken for it. */
  readonly olderVersions?: readonly string[] | undefined;
  /** Set for custom resources. */
  readonly custom?: CustomDecoder | undefined;
  readonly fieldValidation: FieldValidation;
  readonly warn: (text: string) => void;
  /** Between parsing a body and looking at what it holds. */
  readonly pause?: Pause | undefined;
  /** How a value that does not fit is told; default: a 400. */
  readonly failure?: ((why: string) => StatusError) | undefined;
}

/** Decodes a body into an object of the expected kind. Throws a 400 or a 415. */
export async function decodeObject(
  bytes: Uint8Array,
  contentType: string,
  options: DecodeOptions,
): Promise<ApiObject> {
  const parsed = await recognised(bytes, options.expected, async () => {
    const body = await parseBody(bytes, contentType, options);
    // Only what is typed can be told by its path alone.
    if (options.custom !== undefined && textOf(findKey(body.value, "kind")) === "")
      throw new DecodeError(`Object 'Kind' is missing in '${new TextDecoder().decode(bytes)}'`);
    return body;
  });
  await options.pause?.();
  return decodeParsed(parsed, options, options.custom === undefined ? "text" : "duplicates last");
}

/** Decodes what is already parsed: a body, or a patched object. */
export function decodeParsed(parsed: ParsedBody, options: DecodeOptions, order: StrictOrder): ApiObject {
  const { expected } = options;
  const kind = takenFor(kindOf(parsed.value, expected), options);
  try {
    checkKind(kind, options, nameIn(parsed.value));
    const object = typed({ ...parsed.value, apiVersion: kind.apiVersion, kind: kind.kind });
    if (options.custom !== undefined && parsed.text.hasWritten) settleNumbers(object);
    const unknown = dropUnknown(object, options);
    if (parsed.text.hasWritten) settleNumbers(object);
    if (options.fieldValidation !== "Ignore") {
      const { text, problems = [], duplicates = [] } = parsed;
      const inYaml = options.fieldValidation === "Warn" ? duplicates : unmarshalErrors(duplicates);
      reportStrict([...problems, ...inYaml, ...strictErrors(unknown, text, order)], options);
    }
    return object;
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const why = messageOf(error);
    throw options.failure?.(why) ?? badRequest(`${cannotHandle(kind, expected)}: ${why}`);
  }
}

/** `Pod in version "v1" cannot be handled as a ConfigMap`. */
function cannotHandle(kind: BodyKind, expected: GroupVersionKind): string {
  return `${kind.kind} in version ${goQuote(kind.version)} cannot be handled as a ${expected.kind}`;
}

interface BodyKind {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

async function recognised<T>(
  bytes: Uint8Array,
  expected: GroupVersionKind,
  parse: () => Promise<T>,
): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${error.message} (${summary(bytes)})`,
    );
  }
}

/** The beginning of a body, readable if it looks like an object. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, 30));
  const text = start[0] === 0x7b ? start.toString("utf8") : start.toString("hex");
  return bytes.length > 30 ? `${text} ...` : text;
}

function kindOf(value: JsonObject, expected: GroupVersionKind): BodyKind {
  const given = textOf(findKey(value, "apiVersion"));
  const apiVersion = given === "" ? apiVersionOf(expected) : given;
  const slash = apiVersion.indexOf("/");
  const kind = textOf(findKey(value, "kind"));
  return {
    apiVersion,
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind: kind === "" ? expected.kind : kind,
  };
}

function takenFor(kind: BodyKind, { expected, olderVersions = [] }: DecodeOptions): BodyKind {
  const isOlder =
    kind.kind === expected.kind && kind.group === expected.group && olderVersions.includes(kind.version);
  return isOlder ? { ...kind, version: expected.version, apiVersion: apiVersionOf(expected) } : kind;
}

/** Go finds these two keys in whatever case they are. */
function findKey(value: JsonObject, name: string): unknown {
  if (value[name] !== undefined) return value[name];
  const key = Object.keys(value).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : value[key];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function checkKind(kind: BodyKind, { expected, table, custom }: DecodeOptions, name: string): void {
  if (kind.kind === expected.kind && kind.apiVersion === apiVersionOf(expected)) return;
  if (custom !== undefined) throw otherCustomKind(kind, expected, name);
  if (table.kind(kind) === undefined) {
    throw new DecodeError(
      `no kind ${goQuote(kind.kind)} is registered for version ${goQuote(kind.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (kind.kind === expected.kind && kind.group === expected.group) {
    throw badRequest(
      `the API version in the data (${kind.apiVersion}) does not match the expected API version (${apiVersionOf(expected)})`,
    );
  }
  throw new DecodeError(
    `converting (${kind.version}.${kind.kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`,
  );
}

function otherCustomKind(kind: BodyKind, expected: GroupVersionKind, name: string): StatusError {
  if (kind.kind === expected.kind) {
    return badRequest(
      `the API version in the data (${kind.apiVersion}) does not match the expected API version (${apiVersionOf(expected)})`,
    );
  }
  return invalid({ group: kind.group, kind: kind.kind }, name, [
    fieldInvalid("kind", kind.kind, `must be ${expected.kind}`),
  ]);
}

/** Kubernetes' Go package of a group's internal types. */
function internalPackage(group: string): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group);
}

function nameIn({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? textOf(metadata["name"]) : "";
}

/** Its fields stay in their order: of several faults the first is told. */
function typed(value: JsonObject & { apiVersion: string; kind: string }): ApiObject {
  const { metadata } = value;
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata))
    return { ...value, metadata: refuseMetadata(value.kind, metadata) };
  return { ...value, metadata: isJsonObject(metadata) ? metadata : {} };
}

function refuseMetadata(kind: string, metadata: unknown): never {
  const is = Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata;
  throw new DecodeError(
    `json: cannot unmarshal ${is} into Go struct field ${kind}.metadata of type v1.ObjectMeta`,
  );
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

function dropUnknown(object: ApiObject, { table, expected, custom }: DecodeOptions): readonly string[] {
  if (custom !== undefined) {
    const type = table.type(objectMeta);
    const { metadata } = object;
    const checked: JsonObject = { ...metadata };
    const inMetadata = type === undefined ? [] : checkTyped(table, type, checked, "metadata");
    object.metadata = withoutNulls(checked);
    return [...inMetadata, ...custom.prune(object)];
  }
  const type = table.kind(expected);
  const unknown = type === undefined ? [] : checkTyped(table, type, object);
  // Null is unset, and metadata is looked at before defaults are.
  const metadata: JsonObject = { ...object.metadata };
  for (const key in metadata) if (metadata[key] === null) delete metadata[key];
  object.metadata = metadata;
  return unknown;
}

/** Null is unset, and so is what is empty; in maps it is the empty text. */
function withoutNulls(metadata: JsonObject): JsonObject {
  const entries = Object.entries(metadata).filter(
    ([, value]) => value !== null && (typeof value !== "object" || Object.keys(value).length > 0),
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      (key === "labels" || key === "annotations") && isJsonObject(value) ? withTexts(value) : value,
    ]),
  );
}

function withTexts(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? ""]));
}

/** Kubernetes makes one error of all keys that are there twice. */
function unmarshalErrors(duplicates: readonly string[]): readonly string[] {
  return duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`];
}

function reportStrict(errors: readonly string[], options: DecodeOptions): void {
  if (errors.length === 0) return;
  if (options.fieldValidation === "Warn") {
    for (const text of errors) options.warn(text);
    return;
  }
  throw new DecodeError(`strict decoding error: ${errors.join(", ")}`);
}
