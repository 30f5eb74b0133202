import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { additionalOf, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";
import { checkListTypes } from "./list-rules.ts";
import { checkRules } from "./rules.ts";

/** What the API server does not take of OpenAPI, and what its own extensions ask for. */
export function checkOpenApi(schema: JsonSchema, path: FieldPath): FieldError[] {
  return checkNode(schema, path, { root: true, insideMeta: false, defaultsForbidden: undefined });
}

interface Place {
  readonly root: boolean;
  /** Inside apiVersion, kind or metadata of a resource, of the root or an embedded one. */
  readonly insideMeta: boolean;
  /** Why defaults are forbidden here. */
  readonly defaultsForbidden: string | undefined;
}

function checkNode(schema: JsonSchema, path: FieldPath, place: Place): FieldError[] {
  const inner = { ...place, root: false };
  const items = itemsOf(schema);
  const properties = path.child("properties");
  return [
    ...checkForbidden(schema, path, place),
    ...(schema.uniqueItems === true ? [fieldForbidden(path.child("uniqueItems"), noUniqueItems)] : []),
    ...checkAdditional(schema, path, inner),
    ...propertiesOf(schema).flatMap(([name, part]) =>
      checkNode(part, properties.key(name), placeOf(name, schema, place)),
    ),
    ...(schema.not === undefined ? [] : checkNode(schema.not, path.child("not"), inner)),
    ...alternatives.flatMap((name) =>
      (schema[name] ?? []).flatMap((part, index) => checkNode(part, path.child(name).index(index), inner)),
    ),
    ...(items === undefined ? [] : checkNode(items, path.child("items"), inner)),
    ...(schema["x-kubernetes-preserve-unknown-fields"] === false
      ? [fieldInvalid(path.child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined")]
      : []),
    ...checkListTypes(schema, path),
    ...checkRules(schema, path),
  ];
}

const alternatives = ["allOf", "oneOf", "anyOf"] as const;
const noUniqueItems = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";

function placeOf(name: string, schema: JsonSchema, place: Place): Place {
  const resource = place.root || schema["x-kubernetes-embedded-resource"] === true;
  if (!resource || !["metadata", "kind", "apiVersion"].includes(name)) return { ...place, root: false };
  return {
    root: false,
    insideMeta: true,
    defaultsForbidden: place.root ? `in top-level ${name}` : place.defaultsForbidden,
  };
}

function checkAdditional(schema: JsonSchema, path: FieldPath, place: Place): FieldError[] {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return [];
  const additional = additionalOf(schema);
  const child = path.child("additionalProperties");
  const both = propertiesOf(schema).length > 0 && additionalProperties !== true;
  const forbidden = "inside additionalProperties applying to object metadata";
  return [
    ...(both ? [fieldForbidden(child, "additionalProperties and properties are mutual exclusive")] : []),
    ...(additional === undefined
      ? []
      : checkNode(additional, child, place.insideMeta ? { ...place, defaultsForbidden: forbidden } : place)),
  ];
}

function checkForbidden(schema: JsonSchema, path: FieldPath, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const type = schema.type ?? "";
  if (type !== "" && !types.includes(type)) errors.push(fieldNotSupported(path.child("type"), type, types));
  if (schema.default !== undefined && place.defaultsForbidden !== undefined) {
    errors.push(fieldForbidden(path.child("default"), `must not be set ${place.defaultsForbidden}`));
  }
  for (const name of unsupported) {
    const value = schema[name];
    const empty = value === "" || (isMap(name) && Object.keys(schema[name] ?? {}).length === 0);
    if (value !== undefined && !empty)
      errors.push(fieldForbidden(path.child(name), `${name} is not supported`));
  }
  if (type === "null") {
    const detail = "type cannot be set to null, use nullable as an alternative";
    errors.push(fieldForbidden(path.child("type"), detail));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(fieldForbidden(path.child("items"), "items must be a schema object and not an array"));
  }
  if (place.insideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    const detail = "must not be used inside of resource meta";
    errors.push(fieldForbidden(path.child("x-kubernetes-embedded-resource"), detail));
  }
  return errors;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupported = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
] as const;

function isMap(name: (typeof unsupported)[number]): name is "patternProperties" | "definitions" {
  return name === "patternProperties" || name === "definitions";
}
