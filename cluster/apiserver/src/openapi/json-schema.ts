/** A schema of OpenAPI v3, as JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A reference to a schema of the same document. */
export function referenceTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
