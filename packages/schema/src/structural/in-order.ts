import type { JSONSchemaProps } from "@kedge/machinery/kinds/apiextensions/v1";

/** The same schema with its keys in the order in which people read them: what it is, its limits, its parts. */
export function inOrder(schema: JSONSchemaProps): JSONSchemaProps {
  const known = new Map(order.map((key, place) => [key, place]));
  const place = (key: string): number => known.get(key) ?? order.length;
  return Object.fromEntries(
    Object.entries(schema).toSorted(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1)),
  );
}

const order: readonly string[] = [
  "title",
  "description",
  "type",
  "format",
  "nullable",
  "default",
  "enum",
  "anyOf",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "items",
  "additionalProperties",
  "properties",
  "required",
];
