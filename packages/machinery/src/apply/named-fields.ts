import { fieldType, type TypeSchema } from "../type-schema/type-schema.ts";
import type { FieldSet } from "./field-set.ts";
import { fieldNameOf, type PathElement } from "./path-element.ts";

/**
 * The same set, with the declared fields that it has members below as members too. Who owns something in a struct then
 * owns the struct, as nobody says of structs that he owns them; keys of maps and items of lists stay as they are.
 */
export function withNamedFields(set: FieldSet, schema: TypeSchema | undefined): FieldSet {
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const name = fieldNameOf(element);
    if (name !== undefined && schema?.map?.field(name) !== undefined) members.add(element);
    children.set(element, withNamedFields(child, typeBelow(element, name, schema)));
  }
  return { members, children };
}

function typeBelow(
  element: PathElement,
  name: string | undefined,
  schema: TypeSchema | undefined,
): TypeSchema | undefined {
  if (name !== undefined) return schema?.map === undefined ? undefined : fieldType(schema.map, name);
  return element.startsWith("k:") ? schema?.list?.item : undefined;
}
