import { fieldRequired, type FieldError, type FieldPath } from "@kedge/machinery";
import { itemsOf, propertiesOf, propertyOf, type JsonSchema } from "../json-schema.ts";

/** What is restricted in anyOf, allOf, oneOf or not must be described outside of them. */
export function checkCompleteness(schema: JsonSchema, path: FieldPath): FieldError[] {
  return checkRestrictions(schema, schema, { described: path, restricting: path });
}

interface Paths {
  readonly described: FieldPath;
  readonly restricting: FieldPath;
}

function checkRestrictions(restricting: JsonSchema, described: JsonSchema, paths: Paths): FieldError[] {
  const nested = (part: JsonSchema, path: FieldPath): FieldError[] =>
    checkNested(part, described, { ...paths, restricting: path });
  return [
    ...(restricting.not === undefined ? [] : nested(restricting.not, paths.restricting.child("not"))),
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((name) =>
      (restricting[name] ?? []).flatMap((part, index) =>
        nested(part, paths.restricting.child(name).index(index)),
      ),
    ),
  ];
}

function checkNested(restricting: JsonSchema, described: JsonSchema | undefined, paths: Paths): FieldError[] {
  if (described === undefined) {
    return [fieldRequired(paths.described, `because it is defined in ${paths.restricting.toString()}`)];
  }
  const below = (...names: readonly [string, string?]): Paths => ({
    described: step(paths.described, ...names),
    restricting: step(paths.restricting, ...names),
  });
  const items = itemsOf(restricting);
  return [
    ...checkRestrictions(restricting, described, paths),
    ...(items === undefined ? [] : checkNested(items, itemsOf(described), below("items"))),
    ...propertiesOf(restricting).flatMap(([name, part]) =>
      checkNested(part, propertyOf(described, name), below("properties", name)),
    ),
  ];
}

function step(path: FieldPath, name: string, key?: string): FieldPath {
  const child = path.child(name);
  return key === undefined ? child : child.key(key);
}
