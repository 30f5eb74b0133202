import { fieldDuplicate, fieldInvalid, isJsonList, isJsonObject, type FieldError } from "@kedge/machinery";
import { stableText } from "../stable-text.ts";
import type { Structural } from "./structural.ts";

/** Complains about items of sets, and about keys of items of lists of type map, that are there twice. */
export function validateListTypes(value: unknown, shape: Structural, path = ""): FieldError[] {
  if (!shape.below.listTypes) return [];
  if (isJsonList(value)) return validateList(value, shape, path);
  if (!isJsonObject(value)) return [];
  const errors: FieldError[] = [];
  for (const [key, part] of Object.entries(value)) {
    const other = shape.additional?.schema;
    if (other !== undefined)
      for (const error of validateListTypes(part, other, `${path}[${key}]`)) errors.push(error);
    const property = shape.properties.get(key);
    if (property !== undefined)
      for (const error of validateListTypes(part, property, below(path, key))) errors.push(error);
  }
  return errors;
}

function below(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function validateList(list: readonly unknown[], shape: Structural, path: string): FieldError[] {
  const errors = listErrors(list, shape, path);
  const { items } = shape;
  if (items?.below.listTypes !== true) return errors;
  return [...errors, ...list.flatMap((item, index) => validateListTypes(item, items, `${path}[${index}]`))];
}

function listErrors(list: readonly unknown[], shape: Structural, path: string): FieldError[] {
  if (shape.listType === "set") {
    return secondAppearances(list).map((index) => fieldDuplicate(`${path}[${index}]`, list[index]));
  }
  if (shape.listType !== "map") return [];
  const odd = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (odd >= 0) {
    return [fieldInvalid(`${path}[${odd}]`, list[odd], "must be an object for an array of list-type map")];
  }
  const keys = list.map((item) => keysOf(item, shape.listKeys));
  return secondAppearances(keys).map((index) => fieldDuplicate(`${path}[${index}]`, keys[index]));
}

/** Where each value that is there more than once comes the second time. */
function secondAppearances(values: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  const twice: number[] = [];
  for (const [index, value] of values.entries()) {
    const text = stableText(value);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) twice.push(index);
  }
  return twice;
}

function keysOf(item: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]),
  );
}
