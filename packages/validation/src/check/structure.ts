import {
  deepEqual,
  fieldErrorText,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { additionalOf, itemsOf, propertiesOf, propertyOf, type JsonSchema } from "../json-schema.ts";
import { checkCompleteness } from "./completeness.ts";
import { checkAlternatives } from "./alternatives.ts";

/** What keeps a schema from being structural, sorted as the server sorts it. */
export function checkStructure(schema: JsonSchema, path: FieldPath): FieldError[] {
  const errors = [...checkNode(schema, "root", path), ...checkCompleteness(schema, path)];
  return errors.toSorted((a, b) => (fieldErrorText(a) < fieldErrorText(b) ? -1 : 1));
}

type Level = "root" | "item" | "field";

function checkNode(schema: JsonSchema, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  if (schema.type === "array" && items === undefined) {
    errors.push(fieldRequired(path.child("items"), "must be specified"));
  }
  if (items !== undefined)
    for (const error of checkNode(items, "item", path.child("items"))) errors.push(error);
  const properties = path.child("properties");
  for (const [name, part] of propertiesOf(schema)) {
    for (const error of checkNode(part, "field", properties.key(name))) errors.push(error);
  }
  if (schema.additionalProperties !== undefined && level === "root") {
    errors.push(fieldForbidden(path.child("additionalProperties"), "must not be used at the root"));
  }
  if (additional !== undefined) {
    for (const error of checkNode(additional, "field", path.child("additionalProperties")))
      errors.push(error);
  }
  for (const error of checkExtensions(schema, path)) errors.push(error);
  for (const error of checkAlternatives(schema, path, isIntOrString(schema))) errors.push(error);
  for (const error of checkType(schema, level, path)) errors.push(error);
  for (const error of checkMetaFields(schema, level, path)) errors.push(error);
  return errors;
}

function checkExtensions(schema: JsonSchema, path: FieldPath): FieldError[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  const names = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const;
  return names
    .filter((name) => schema[name] === true)
    .map((name) =>
      fieldInvalid(path.child(name), true, "must be false if x-kubernetes-int-or-string is true"),
    );
}

/** The two places where the types of int-or-string may be spelt out. */
function isIntOrString(schema: JsonSchema): "anyOf" | "allOf" | undefined {
  if (schema.anyOf !== undefined && deepEqual(schema.anyOf, speltTypes)) return "anyOf";
  return deepEqual(schema.allOf?.[0]?.anyOf, speltTypes) ? "allOf" : undefined;
}

const speltTypes = [{ type: "integer" }, { type: "string" }];

function checkType(schema: JsonSchema, level: Level, path: FieldPath): FieldError[] {
  const type = schema.type ?? "";
  const errors: FieldError[] = [];
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const typePath = path.child("type");
  if (embedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? fieldRequired(typePath, detail) : fieldInvalid(typePath, type, detail));
  } else if (type === "" && schema["x-kubernetes-int-or-string"] !== true && !preserve) {
    errors.push(fieldRequired(typePath, mustNotBeEmpty[level]));
  }
  if (embedded && schema.additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(fieldForbidden(path.child("additionalProperties"), detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(fieldInvalid(typePath, type, "must be object at the root"));
  }
  if (embedded && !preserve && propertiesOf(schema).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(fieldRequired(path.child("properties"), detail));
  }
  return errors;
}

const mustNotBeEmpty = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
} as const;

/** apiVersion, kind and metadata belong to Kubernetes: a schema may hardly say anything about them. */
function checkMetaFields(schema: JsonSchema, level: Level, path: FieldPath): FieldError[] {
  const resource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  const properties = path.child("properties");
  const errors: FieldError[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const part = propertyOf(schema, name);
    if (!resource || part === undefined || part.type === "string") continue;
    errors.push(fieldInvalid(properties.key(name).child("type"), part.type ?? "", "must be string"));
  }
  const metadata = propertyOf(schema, "metadata");
  if (metadata === undefined) return errors;
  const metadataPath = properties.key("metadata");
  if (resource && metadata.type !== "object") {
    errors.push(fieldInvalid(metadataPath.child("type"), metadata.type ?? "", "must be object"));
  }
  if (level === "root" && !saysOnlyNames(metadata)) {
    const detail =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(fieldForbidden(metadataPath, detail));
  }
  return errors;
}

function saysOnlyNames(metadata: JsonSchema): boolean {
  const others = Object.entries(metadata).filter(
    ([name, value]) =>
      !["type", "default", "properties"].includes(name) &&
      value !== undefined &&
      value !== "" &&
      value !== false,
  );
  const names = propertiesOf(metadata).map(([name]) => name);
  return others.length === 0 && names.every((name) => name === "name" || name === "generateName");
}
