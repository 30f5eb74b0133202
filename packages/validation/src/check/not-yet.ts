import { fieldForbidden, type FieldError, type FieldPath } from "@kedge/machinery";
import { additionalOf, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";

/** What Kubernetes allows in a schema but this package cannot do yet: rules. A server must refuse a CRD that has any. */
export function unsupported(schema: JsonSchema, path: FieldPath): FieldError[] {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const rules = schema["x-kubernetes-validations"] ?? [];
  return [
    ...(rules.length > 0 ? [fieldForbidden(path.child("x-kubernetes-validations"), noRules)] : []),
    ...(items === undefined ? [] : unsupported(items, path.child("items"))),
    ...propertiesOf(schema).flatMap(([name, part]) => unsupported(part, path.child("properties").key(name))),
    ...(additional === undefined ? [] : unsupported(additional, path.child("additionalProperties"))),
  ];
}

const noRules =
  "rules in CEL are not supported yet; leave them out, and check what they say in the controller or by other means of the schema (enum, pattern, minimum, oneOf)";
