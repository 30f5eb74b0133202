import {
  clone,
  deepEqual,
  fieldErrorsText,
  fieldInvalid,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { hasDefault, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";
import { coerceEmbedded, validateEmbedded } from "../metadata/embedded.ts";
import { prune } from "../structural/prune.ts";
import { structuralOf } from "../structural/structural.ts";
import { compileCheck } from "../validator/compile.ts";
import { Findings } from "../validator/findings.ts";

/** Complains about defaults that the schema itself would prune or refuse. Defaults below additionalProperties are not seen. */
export function checkDefaults(schema: JsonSchema, path: FieldPath): FieldError[] {
  return checkNode({ ...schema, "x-kubernetes-embedded-resource": true }, path, undefined);
}

/** Inside apiVersion, kind or metadata of a resource: how to put a value into such a resource, and its schema. */
interface Metadata {
  readonly resource: JsonSchema;
  readonly wrap: (value: unknown) => unknown;
}

function checkNode(schema: JsonSchema, path: FieldPath, metadata: Metadata | undefined): FieldError[] {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const around = embedded ? undefined : metadata;
  const items = itemsOf(schema);
  const properties = path.child("properties");
  return [
    ...(hasDefault(schema) ? checkDefault(schema, path.child("default"), around) : []),
    ...(items === undefined
      ? []
      : checkNode(
          items,
          path.child("items"),
          within(around, (value) => [value]),
        )),
    ...propertiesOf(schema).flatMap(([name, part]) => {
      const wrap = (value: unknown): unknown => ({ [name]: value });
      const inner =
        embedded && ["metadata", "apiVersion", "kind"].includes(name)
          ? { resource: schema, wrap: (value: unknown) => resourceWith(name, value) }
          : within(around, wrap);
      return checkNode(part, properties.key(name), inner);
    }),
  ];
}

function resourceWith(name: string, value: unknown): unknown {
  return { apiVersion: "validation/v1", kind: "Validation", [name]: value };
}

function within(metadata: Metadata | undefined, wrap: (value: unknown) => unknown): Metadata | undefined {
  return metadata === undefined ? undefined : { ...metadata, wrap: (value) => metadata.wrap(wrap(value)) };
}

function checkDefault(schema: JsonSchema, path: FieldPath, metadata: Metadata | undefined): FieldError[] {
  const value: unknown = clone(schema.default);
  if (metadata !== undefined) {
    const wrong = checkMetadata(metadata.wrap(clone(schema.default)), metadata.resource);
    if (wrong !== undefined) return [fieldInvalid(path, value, `must result in valid metadata: ${wrong}`)];
    return validateValue(schema, value, path);
  }
  const shape = structuralOf(schema);
  const pruned: unknown = clone(schema.default);
  prune(pruned, shape);
  const unknown = deepEqual(pruned, value) ? [] : [fieldInvalid(path, value, "must not have unknown fields")];
  const coerced = coerceEmbedded(clone(schema.default), shape);
  if (!Array.isArray(coerced)) return [...unknown, coerced];
  const invalid = validateEmbedded(value, shape, path);
  return [...unknown, ...(invalid.length > 0 ? invalid : validateValue(schema, value, path))];
}

function checkMetadata(resource: unknown, schema: JsonSchema): string | undefined {
  const shape = structuralOf(schema);
  const coerced = coerceEmbedded(resource, shape);
  if (!Array.isArray(coerced)) return fieldErrorsText([coerced]);
  const errors = validateEmbedded(resource, shape);
  return errors.length === 0 ? undefined : fieldErrorsText(errors);
}

function validateValue(schema: JsonSchema, value: unknown, path: FieldPath): FieldError[] {
  const findings = new Findings(path);
  compileCheck(schema, { forDefaults: true })(value, findings, undefined);
  return [...findings.errors];
}
