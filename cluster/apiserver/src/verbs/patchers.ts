import {
  applyJsonPatchInSteps,
  applyMergePatch,
  badRequest,
  clone,
  fieldInvalid,
  goFormatV,
  invalid,
  isJsonList,
  isJsonObject,
  JsonPatchError,
  readJsonPatch,
  requestEntityTooLarge,
  setOwn,
  statusFailure,
  strategicMergePatch,
  StrategicPatchError,
  type JsonObject,
  type StatusError,
} from "@kedge/machinery";
import { decodeParsed, type DecodeOptions } from "../decode/decode-object.ts";
import { fractionWords, goKindOf } from "../decode/go-place.ts";
import { patchedText } from "../decode/patched-text.ts";
import { checkValues } from "../decode/most-values.ts";
import { parseJson } from "../decode/parse-json.ts";
import { JsonSyntaxError } from "../decode/scan-json.ts";
import type { BodyText } from "../decode/strict-errors.ts";
import type { ApiObject, PartSubresource, StoredApiObject } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { inSteps, type Pause } from "../request/pause.ts";

/** Makes the patched object of the stored one. */
export type Patcher = (current: StoredApiObject, options: DecodeOptions) => Promise<ApiObject>;

const maxOperations = 10_000;
const maxCopyBytes = 3 * 1024 * 1024;

/** The patcher for a media type, with the patch of the body. Throws a `StatusError`. */
export function patcherOf(type: string, request: ResourceRequest, part?: PartSubresource): Patcher {
  // What is merged by the schema, or has none, is not read by Go's decoder of JSON.
  const isDecoded =
    type !== "application/strategic-merge-patch+json" && request.resource.custom === undefined;
  const patch = parsePatch(new TextDecoder().decode(request.body), isDecoded ? "as written" : "as values");
  switch (type) {
    case "application/json-patch+json":
      return jsonPatcher(patch, request);
    case "application/merge-patch+json":
      return mergePatcher(patch, request);
    default:
      return strategicPatcher(patch, request, part);
  }
}

interface Patch {
  readonly value: unknown;
  readonly text: BodyText;
}

function parsePatch(text: string, numbers: "as written" | "as values"): Patch {
  try {
    const { value, hasDuplicates, hasWritten } = parseJson(text, 1, numbers);
    return { value, text: { json: text, hasDuplicates, hasWritten } };
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

function jsonPatcher({ value, text }: Patch, { pause }: ResourceRequest): Patcher {
  const steps = readSteps(value);
  const problems = steps.flatMap((step, index) =>
    Object.keys(step)
      .filter((key) => !stepFields.has(key))
      .map((key) => `json patch unknown field "[${index}].${key}"`),
  );
  if (steps.length > maxOperations) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${steps.length}`,
    );
  }
  return async (current, options) => {
    const patched = objectOf(await applySteps(current, steps, pause));
    await pause();
    return decodePatched(patched, { shown: () => patchedText(current, patched), text, problems, options });
  };
}

const stepFields = new Set(["op", "path", "from", "value"]);

function readSteps(value: unknown): ReturnType<typeof readJsonPatch> {
  if (!isJsonList(value))
    throw badRequest(`error decoding patch: ${cannotUnmarshal(value, "[]handlers.jsonPatchOp")}`);
  try {
    return readJsonPatch(value);
  } catch (error) {
    throw error instanceof JsonPatchError ? badRequest(error.message) : error;
  }
}

/** What does not apply is refused without a reason, as Kubernetes does. */
async function applySteps(
  current: StoredApiObject,
  steps: ReturnType<typeof readJsonPatch>,
  pause: Pause,
): Promise<unknown> {
  try {
    return await inSteps(applyJsonPatchInSteps(current, steps, { maxCopyBytes }), pause);
  } catch (error) {
    // Copies of copies overflow the stack.
    if (error instanceof RangeError) throw badRequest("exceeded max depth");
    if (!(error instanceof JsonPatchError)) throw error;
    throw statusFailure({
      message: "the server rejected our request due to an error in our request",
      reason: "Invalid",
      details: {},
      code: 422,
      cause: error,
    });
  }
}

function mergePatcher({ value, text }: Patch, { pause }: ResourceRequest): Patcher {
  return async (current, options) => {
    if (value === null) throw badRequest("Invalid JSON Patch");
    if (!isJsonObject(value)) throw badRequest(`error decoding patch: ${notAMap(value)}`);
    const patched = objectOf(applyMergePatch(current, value));
    await pause();
    return decodePatched(patched, { shown: () => patchedText(current, patched), text, options });
  };
}

function strategicPatcher(
  { value, text }: Patch,
  request: ResourceRequest,
  part: PartSubresource | undefined,
): Patcher {
  const patch = value ?? {};
  if (!isJsonObject(patch)) throw badRequest(notAMap(patch));
  return async (current, options) => {
    const merged = mergeBySchema(current, patch, request);
    await request.pause();
    const patched = cloneWritten(merged, current, part);
    await request.pause();
    return decodePatched(patched, { shown: () => goFormatV(patch), text, options, reword: convertedWords });
  };
}

/** A copy that may be changed, but for the fields that are not written and were not patched either. */
function cloneWritten(
  merged: JsonObject,
  current: StoredApiObject,
  part: PartSubresource | undefined,
): JsonObject {
  const { writes } = part ?? {};
  if (writes === undefined) return clone(merged);
  const copy: JsonObject = {};
  for (const [field, value] of Object.entries(merged)) {
    const isShared = value === current[field] && field !== "metadata" && !writes.includes(field);
    setOwn(copy, field, isShared ? value : clone(value));
  }
  return copy;
}

/** A strategically patched object is converted, not decoded, and the converter says less of what does not fit. */
function convertedWords(why: string): string {
  if (/cannot unmarshal object into .* of type \[\]/u.test(why)) return "cannot restore slice from map";
  return fractionWords(why);
}

function mergeBySchema(
  current: StoredApiObject,
  patch: JsonObject,
  { resource }: ResourceRequest,
): JsonObject {
  try {
    return strategicMergePatch(current, patch, resource.schema);
  } catch (error) {
    throw error instanceof StrategicPatchError ? plainFailure(error) : error;
  }
}

function plainFailure({ code, message }: StrategicPatchError): StatusError {
  if (code === 400) return badRequest(message);
  return statusFailure({ message, code });
}

interface Patched {
  /** What an error shows of the patch. */
  readonly shown: () => string;
  readonly text: BodyText;
  readonly problems?: readonly string[];
  readonly options: DecodeOptions;
  readonly reword?: (why: string) => string;
}

function decodePatched(
  value: JsonObject,
  { shown, text, problems = [], options, reword = (why) => why }: Patched,
): ApiObject {
  checkValues(value);
  const failure = (why: string): StatusError =>
    invalid({ group: "", kind: "" }, "", [fieldInvalid("patch", shown(), reword(why))]);
  return decodeParsed({ value, text, problems }, { ...options, failure }, "duplicates first");
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw badRequest(notAMap(value));
}

function notAMap(value: unknown): string {
  return cannotUnmarshal(value, "map[string]interface {}");
}

function cannotUnmarshal(value: unknown, type: string): string {
  return `json: cannot unmarshal ${goKindOf(value)} into Go value of type ${type}`;
}
