import { isJsonList, isJsonObject } from "../json-value.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { goFormatSharpV, goType, goFormatV } from "../go/go-format.ts";
import { itemElement } from "./list-item.ts";
import { elementText, fieldElement, type PathElement } from "./path-element.ts";
import { SchemaError, type SchemaProblem } from "./schema-error.ts";
import { kindOf } from "./value-kind.ts";

/** What a value may be in spite of its schema. */
export interface ValidateOptions {
  /** Stored objects may hold items of the same key twice, from times when nobody looked. */
  readonly allowDuplicates: boolean;
}

/** Makes sure that a value fits its schema as far as merging goes. Throws a `SchemaError` with all problems. */
export function validateValue(schema: TypeSchema, value: unknown, options: ValidateOptions): void {
  const problems: SchemaProblem[] = [];
  check(value, schema, { parent: undefined, step: "", problems, ...options });
  if (problems.length > 0) throw new SchemaError(problems);
}

interface Walk extends ValidateOptions {
  readonly parent: Walk | undefined;
  /** From the parent: a path element, or the index in an atomic list. Its text is made only for a problem. */
  readonly step: PathElement | number;
  readonly problems: SchemaProblem[];
}

function stepBelow(parent: Walk, step: PathElement | number): Walk {
  return { parent, step, problems: parent.problems, allowDuplicates: parent.allowDuplicates };
}

function pathOf(walk: Walk): string {
  const steps: string[] = [];
  for (let at = walk; at.parent !== undefined; at = at.parent)
    steps.push(typeof at.step === "number" ? `[${at.step}]` : elementText(at.step));
  return steps.toReversed().join("");
}

/**
 * The top-level fields (`spec`, `status`) that are frozen and have fitted: they still do, and a new version of an object
 * shares most of them with the last. Those where items may be there twice are told apart.
 */
const fitting = { unique: new WeakMap<object, TypeSchema>(), any: new WeakMap<object, TypeSchema>() };

function check(value: unknown, schema: TypeSchema, walk: Walk): void {
  const isTop = walk.parent !== undefined && walk.parent.parent === undefined;
  if (!isTop || typeof value !== "object" || value === null || !Object.isFrozen(value)) {
    checkNew(value, schema, walk);
    return;
  }
  const known = walk.allowDuplicates ? fitting.any : fitting.unique;
  if (known.get(value) === schema) return;
  const before = walk.problems.length;
  checkNew(value, schema, walk);
  if (walk.problems.length === before) known.set(value, schema);
}

function checkNew(value: unknown, schema: TypeSchema, walk: Walk): void {
  switch (kindOf(schema, value)) {
    case "map":
      if (schema.map !== undefined) checkMap(value, schema.map, walk);
      return;
    case "list":
      if (schema.list !== undefined) checkList(value, schema.list, walk);
      return;
    case "scalar": {
      const message = scalarProblem(schema.scalar, value);
      if (message !== undefined) report(walk, message);
      return;
    }
    case "nothing":
      report(
        walk,
        `schema error: invalid atom: ${schema.name === undefined ? "inlined" : `named type: ${schema.name}`}`,
      );
  }
}

function checkMap(value: unknown, map: MapSchema, walk: Walk): void {
  if (value === null) return;
  if (!isJsonObject(value)) {
    report(walk, `expected map, got &{${goFormatV(value)}}`);
    return;
  }
  for (const key in value) {
    const item = value[key];
    if (item === undefined) continue;
    const type = fieldType(map, key);
    if (type !== undefined && isPlainScalar(item, type)) continue;
    const below = stepBelow(walk, fieldElement(key));
    if (type === undefined) {
      report(below, "field not declared in schema");
      return;
    }
    check(item, type, below);
  }
}

/** Whether there is nothing more to look at: most values are so. */
function isPlainScalar(value: unknown, { scalar }: TypeSchema): boolean {
  return typeof value !== "object" && scalar !== undefined && scalarProblem(scalar, value) === undefined;
}

function checkList(value: unknown, list: ListSchema, walk: Walk): void {
  if (value === null) return;
  if (!isJsonList(value)) {
    report(walk, `expected list, got &{${goFormatV(value)}}`);
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    let step: PathElement | number = index;
    if (list.type !== "atomic") {
      const element = elementOf(item, list);
      if (element instanceof TypeError) {
        report(walk, `element ${index}: ${element.message}`);
        return;
      }
      step = element;
      if (seen.has(element) && !walk.allowDuplicates)
        report(walk, `duplicate entries for key ${elementText(element)}`);
      seen.add(element);
    }
    check(item, list.item, stepBelow(walk, step));
  }
}

function elementOf(item: unknown, list: ListSchema): string | TypeError {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof TypeError) return error;
    throw error;
  }
}

function scalarProblem(scalar: TypeSchema["scalar"], value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (scalar) {
    case "numeric":
      return typeof value === "number" || typeof value === "bigint"
        ? undefined
        : `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goFormatSharpV(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goFormatV(value)}}`;
    case "untyped":
    case undefined:
      return typeof value === "object" ? `expected any scalar, got &{${goFormatV(value)}}` : undefined;
  }
}

function report(walk: Walk, message: string): void {
  walk.problems.push({ path: pathOf(walk), message });
}
