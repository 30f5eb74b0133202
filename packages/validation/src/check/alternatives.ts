import { fieldForbidden, fieldInvalid, type FieldError, type FieldPath } from "@kedge/machinery";
import { compilePattern } from "../pattern.ts";
import {
  additionalOf,
  hasDefault,
  itemsOf,
  propertiesOf,
  propertyOf,
  type JsonSchema,
} from "../json-schema.ts";

/** Schemas in anyOf, allOf, oneOf and not may only restrict values: what describes them is forbidden there. */
export function checkAlternatives(
  schema: JsonSchema,
  path: FieldPath,
  intOrString?: "anyOf" | "allOf",
): FieldError[] {
  const errors: FieldError[] = [];
  const nested = (name: "anyOf" | "allOf" | "oneOf"): void => {
    for (const [index, part] of (schema[name] ?? []).entries()) {
      const spelt = name === "allOf" && index === 0 && intOrString === "allOf" ? "anyOf" : undefined;
      for (const error of checkNested(part, path.child(name).index(index), spelt)) errors.push(error);
    }
  };
  if (intOrString !== "anyOf") nested("anyOf");
  nested("allOf");
  nested("oneOf");
  if (schema.not !== undefined)
    for (const error of checkNested(schema.not, path.child("not"))) errors.push(error);
  const pattern = schema.pattern ?? "";
  const { error } = pattern === "" ? { error: undefined } : compilePattern(pattern);
  if (error !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${error}`;
    errors.push(fieldInvalid(path.child("pattern"), pattern, detail));
  }
  return errors;
}

function checkNested(schema: JsonSchema, path: FieldPath, intOrString?: "anyOf"): FieldError[] {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const hasAdditional = additional !== undefined || schema.additionalProperties === true;
  return [
    ...checkAlternatives(schema, path, intOrString),
    ...(items === undefined ? [] : checkNested(items, path.child("items"))),
    ...propertiesOf(schema).flatMap(([name, part]) => checkNested(part, path.child("properties").key(name))),
    ...(hasAdditional
      ? [fieldForbidden(path.child("additionalProperties"), "must be undefined to be structural")]
      : []),
    ...forbiddenParts(schema).map(([name, state]) =>
      fieldForbidden(path.child(name), `must be ${state} to be structural`),
    ),
    ...(propertyOf(schema, "metadata") === undefined
      ? []
      : [
          fieldForbidden(
            path.child("properties").key("metadata"),
            "must not be specified in a nested context",
          ),
        ]),
  ];
}

function forbiddenParts(schema: JsonSchema): (readonly [string, string])[] {
  const parts: (readonly [string, string, boolean])[] = [
    ["type", "empty", (schema.type ?? "") !== ""],
    ["default", "undefined", hasDefault(schema)],
    ["title", "empty", (schema.title ?? "") !== ""],
    ["description", "empty", (schema.description ?? "") !== ""],
    ["nullable", "false", schema.nullable === true],
    [
      "x-kubernetes-preserve-unknown-fields",
      "false",
      schema["x-kubernetes-preserve-unknown-fields"] === true,
    ],
    ["x-kubernetes-embedded-resource", "false", schema["x-kubernetes-embedded-resource"] === true],
    ["x-kubernetes-int-or-string", "false", schema["x-kubernetes-int-or-string"] === true],
    ["x-kubernetes-list-map-keys", "empty", (schema["x-kubernetes-list-map-keys"] ?? []).length > 0],
    ["x-kubernetes-list-type", "undefined", schema["x-kubernetes-list-type"] !== undefined],
    ["x-kubernetes-map-type", "undefined", schema["x-kubernetes-map-type"] !== undefined],
    ["x-kubernetes-validations", "empty", (schema["x-kubernetes-validations"] ?? []).length > 0],
  ];
  return parts.filter(([, , present]) => present).map(([name, state]) => [name, state]);
}
