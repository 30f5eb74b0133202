import {
  fieldForbidden,
  fieldInvalid,
  finish,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";
import { checkDefaultRules } from "../rules/check-default-rules.ts";
import { checkRuleExpressions } from "../rules/check-rules.ts";
import { checkDefaults } from "./defaults.ts";
import { checkPatterns } from "./patterns.ts";
import { schemaStruct } from "./schema-struct.ts";
import { checkOpenApi } from "./open-api.ts";
import { checkStructure } from "./structure.ts";
import { unsupportedField } from "./unsupported-field.ts";

/** What decides about a schema beside itself. */
export interface CheckSchemaOptions {
  /** With a status subresource only some fields are allowed at the root. */
  readonly statusSubresource: boolean;
}

/** All that is wrong with `openAPIV3Schema` of a CustomResourceDefinition, in the server's words and order. */
export function checkSchema(schema: JsonSchema, path: FieldPath, options: CheckSchemaOptions): FieldError[] {
  return finish(checkSchemaInSteps(schema, path, options));
}

/** The same, in steps: each walks the whole schema once. */
export function* checkSchemaInSteps(
  schema: JsonSchema,
  path: FieldPath,
  { statusSubresource }: CheckSchemaOptions,
): Steps<FieldError[]> {
  const errors = checkPatterns(schema, path);
  if (errors.length > 0) return errors;
  yield;
  if (statusSubresource) for (const error of checkRootFields(schema, path)) errors.push(error);
  if (schema.nullable === true) {
    errors.push(fieldForbidden(path.child("nullable"), "nullable cannot be true at the root"));
  }
  const unsupported = unsupportedField(schema);
  yield;
  if (unsupported === undefined) {
    const structure = checkStructure(schema, path);
    yield;
    const defaults = structure.length > 0 ? structure : checkDefaults(schema, path);
    yield;
    for (const error of defaults.length > 0 ? defaults : yield* checkDefaultRules(schema, path))
      errors.push(error);
    yield;
  }
  for (const error of checkOpenApi(schema, path)) errors.push(error);
  if (errors.length > 0) return errors;
  if (unsupported !== undefined) return [fieldInvalid(path, "", unsupported)];
  yield;
  // Rules about what is wrong itself would be told to be wrong for reasons that nobody understands.
  return yield* checkRuleExpressions(schema, path);
}

/** Status is validated by its own part of the schema: nothing at the root may say more about it. */
function checkRootFields(schema: JsonSchema, path: FieldPath): FieldError[] {
  for (const [name, value] of Object.entries(schema)) {
    if (isUnset(value)) continue;
    if (name === "type") {
      if (value === "object") continue;
      const detail = `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`;
      return [fieldInvalid(path.child("type"), value, detail)];
    }
    if (allowedAtRoot.has(name)) continue;
    const allowed = [...allowedAtRoot.values()].join(" ");
    const detail = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [fieldInvalid(path, schemaStruct(schema), detail)];
  }
  return [];
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === false;
}

/** Fields by their name in JSON, and as the message prints them. */
const allowedAtRoot: ReadonlyMap<string, string> = new Map([
  ["description", "Description"],
  ["type", "Type"],
  ["format", "Format"],
  ["title", "Title"],
  ["maximum", "Maximum"],
  ["exclusiveMaximum", "ExclusiveMaximum"],
  ["minimum", "Minimum"],
  ["exclusiveMinimum", "ExclusiveMinimum"],
  ["maxLength", "MaxLength"],
  ["minLength", "MinLength"],
  ["pattern", "Pattern"],
  ["maxItems", "MaxItems"],
  ["minItems", "MinItems"],
  ["uniqueItems", "UniqueItems"],
  ["multipleOf", "MultipleOf"],
  ["required", "Required"],
  ["items", "Items"],
  ["properties", "Properties"],
  ["externalDocs", "ExternalDocs"],
  ["example", "Example"],
  ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"],
  ["x-kubernetes-validations", "XValidations"],
]);
