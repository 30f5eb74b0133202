import {
  applyJsonPatch,
  applyMergePatch,
  badRequest,
  invalid,
  isJsonObject,
  JsonPatchError,
  readJsonPatch,
  requestEntityTooLarge,
  StatusError,
  StrategicPatchError,
  strategicMergePatch,
  type JsonObject,
} from "@kedge/machinery";
import { decodeParsed, type DecodeOptions } from "../decode/decode-object.ts";
import { JsonSyntaxError, scanJson, type JsonScan } from "../decode/scan-json.ts";
import type { ApiObject, StoredApiObject } from "../registry/types.ts";
import type { Ask } from "../request/ask.ts";

/** Makes the patched object of the stored one. */
export type Patcher = (current: StoredApiObject, options: DecodeOptions) => ApiObject;

const maxOperations = 10_000;
const maxCopyBytes = 3 * 1024 * 1024;

/** The patcher for a media type, with the patch of the body. Throws a `StatusError`. */
export function patcherOf(type: string, ask: Ask): Patcher {
  const text = new TextDecoder().decode(ask.body);
  const { value, scan } = parsePatch(text);
  switch (type) {
    case "application/json-patch+json":
      return jsonPatcher(value, ask);
    case "application/merge-patch+json":
      return mergePatcher(value, scan);
    default:
      return strategicPatcher(value, scan, ask);
  }
}

function parsePatch(text: string): { value: unknown; scan: JsonScan } {
  try {
    const scan = scanJson(text);
    const value: unknown = JSON.parse(text);
    return { value, scan };
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

const noScan: JsonScan = { duplicates: [], paths: [] };

function jsonPatcher(value: unknown, ask: Ask): Patcher {
  const steps = guarded(ask, () => readJsonPatch(value));
  if (steps.length > maxOperations) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${steps.length}`,
    );
  }
  return (current, options) => {
    const patched = guarded(ask, () => applyJsonPatch(current, steps, { maxCopyBytes }));
    return decodeParsed({ value: objectOf(patched), scan: noScan }, options);
  };
}

function mergePatcher(value: unknown, scan: JsonScan): Patcher {
  return (current, options) =>
    decodeParsed({ value: objectOf(structuredClone(applyMergePatch(current, value))), scan: onlyDuplicates(scan) }, options);
}

function strategicPatcher(value: unknown, scan: JsonScan, ask: Ask): Patcher {
  const patch = objectOf(value);
  return (current, options) => {
    const patched = guarded(ask, () => strategicMergePatch(current, patch, ask.resource.schema));
    return decodeParsed({ value: structuredClone(patched), scan: onlyDuplicates(scan) }, options);
  };
}

/** The places are those of the patch, not those of the patched object: only what is twice counts. */
function onlyDuplicates({ duplicates }: JsonScan): JsonScan {
  return { duplicates, paths: [] };
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw badRequest(`the patched object is not an object: ${JSON.stringify(value)}`);
}

function guarded<T>(ask: Ask, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof JsonPatchError) throw patchFailure(ask, error);
    if (error instanceof StrategicPatchError) throw plainFailure(error.code, error.message);
    throw error;
  }
}

function patchFailure({ resource, name }: Ask, error: JsonPatchError): StatusError {
  if (error.reason === "Malformed") return badRequest(error.message);
  const { status } = invalid(resource, name, []);
  return new StatusError({ ...status, message: `the server rejected our request due to an error in our request` });
}

function plainFailure(code: 400 | 422 | 500, message: string): StatusError {
  if (code === 400) return badRequest(message);
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code });
}
