import { fieldInvalid, goFormatV, goType, isJsonObject, type FieldError } from "@kedge/machinery";
import type { DefinitionVersion } from "../definition/definition.ts";

type Scale = NonNullable<DefinitionVersion["subresources"]>["scale"];

/** Replicas of the spec must be a count, wherever the definition says they are. */
export function validateScaleSpec(object: unknown, scale: Scale): FieldError[] {
  return scale === undefined ? [] : validateReplicas(object, scale.specReplicasPath ?? "");
}

/** Replicas of the status must be a count, and the selector a text. */
export function validateScaleStatus(object: unknown, scale: Scale): FieldError[] {
  if (scale === undefined) return [];
  const { statusReplicasPath = "", labelSelectorPath } = scale;
  const errors = validateReplicas(object, statusReplicasPath);
  if (labelSelectorPath === undefined) return errors;
  const selector = read(object, labelSelectorPath, "string");
  return selector.error === undefined
    ? errors
    : [...errors, fieldInvalid(labelSelectorPath, "", selector.error)];
}

function validateReplicas(object: unknown, path: string): FieldError[] {
  const { value, error } = read(object, path, "int64");
  if (error !== undefined) return [fieldInvalid(path, 0, error)];
  if (typeof value !== "number" && typeof value !== "bigint") return [];
  if (value < 0) return [fieldInvalid(path, value, "should be a non-negative integer")];
  return value > maxInt32 ? [fieldInvalid(path, value, `should be less than or equal to ${maxInt32}`)] : [];
}

const maxInt32 = 2 ** 31 - 1;

/** Reads a field as the server does, with its words for values of other types. */
function read(object: unknown, path: string, type: "int64" | "string"): { value?: unknown; error?: string } {
  const names = path.replace(/^\./u, "").split(".");
  let value = object;
  for (const [index, name] of names.entries()) {
    // A null on the way is the same as nothing there, unlike one at the end.
    if (value === null) return {};
    if (!isJsonObject(value)) {
      const place = `.${names.slice(0, index + 1).join(".")}`;
      return { error: accessorError(place, value, "map[string]interface{}") };
    }
    if (!Object.hasOwn(value, name)) return {};
    value = value[name];
  }
  return goType(value) === type ? { value } : { error: accessorError(`.${names.join(".")}`, value, type) };
}

function accessorError(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goFormatV(value)} is of the type ${goType(value)}, expected ${expected}`;
}
