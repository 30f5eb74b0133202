import { deducedSchema } from "../type-schema/deduced-schema.ts";
import { fieldType, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import {
  insert,
  isEmptySet,
  newSet,
  recursiveDifference,
  union,
  type FieldPath,
  type FieldSet,
  type GrowingSet,
} from "./field-set.ts";
import { fieldNameOf, type PathElement } from "./path-element.ts";
import { kindOf } from "./value-kind.ts";

/**
 * Adapts a set to a schema that has changed since the set was written: whoever owned parts of what is atomic now, owns
 * it as a whole.
 */
export function reconcileSet(schema: TypeSchema, set: FieldSet): FieldSet {
  if (fitting.get(set) === schema) return set;
  const turnedAtomic = newSet();
  visit(set, schema, { path: [], whole: false, turnedAtomic });
  const fits = isEmptySet(turnedAtomic) ? set : union(recursiveDifference(set, turnedAtomic), turnedAtomic);
  if (fits === set) fitting.set(set, schema);
  return fits;
}

/** Sets that need not be adapted, and to which schema. */
const fitting = new WeakMap<FieldSet, TypeSchema>();

interface Walk {
  readonly path: FieldPath;
  /** Whether the value is owned as a whole, and nothing below it on its own. */
  readonly whole: boolean;
  readonly turnedAtomic: GrowingSet;
}

function visit(set: FieldSet | undefined, schema: TypeSchema, walk: Walk): void {
  switch (kindOf(schema, undefined)) {
    case "map":
      if (schema.map !== undefined) visitMap(set, schema.map, walk);
      return;
    case "list":
      if (schema.list === undefined) return;
      if (!walk.whole && schema.list.type === "atomic") insert(walk.turnedAtomic, walk.path);
      else if (set !== undefined) visitBelow(set, walk, () => schema.list?.item);
      return;
    default:
  }
}

function visitMap(set: FieldSet | undefined, map: MapSchema, walk: Walk): void {
  if (set === undefined || isUndescribed(map)) return;
  if (!walk.whole && map.atomic) {
    if (!isEmptySet(set)) insert(walk.turnedAtomic, walk.path);
    return;
  }
  visitBelow(set, walk, (element) => {
    const name = fieldNameOf(element);
    return name === undefined ? map.values : fieldType(map, name);
  });
}

/** Nothing is said of such content, so nothing can have changed. */
function isUndescribed({ values, fieldNames }: MapSchema): boolean {
  if (values === undefined || fieldNames.length > 0) return false;
  return values === deducedSchema || (values.name === undefined && values.scalar === "untyped");
}

function visitBelow(
  set: FieldSet,
  walk: Walk,
  typeOf: (element: PathElement) => TypeSchema | undefined,
): void {
  for (const element of new Set([...set.children.keys(), ...set.members])) {
    const schema = typeOf(element);
    if (schema === undefined) continue;
    const child = set.children.get(element);
    visit(child, schema, {
      ...walk,
      path: [...walk.path, element],
      whole: set.members.has(element) && child === undefined,
    });
  }
}
