import { additionalOf, propertiesOf, propertyOf, type JsonSchema } from "./json-schema.ts";

/** Where a path like `.spec.colour` or `.spec['a.b']` leads to in a schema, or why it leads nowhere. */
export type FoundField =
  | {
      readonly names: readonly string[];
      /** As errors spell it: `spec.labels[app]`. */
      readonly path: string;
      readonly schema: JsonSchema | undefined;
      readonly error?: undefined;
    }
  | { readonly error: string; readonly path?: undefined };

/** Follows a path through the described fields of a schema. */
export function findField(path: string, root: JsonSchema, brackets = true): FoundField {
  const tokens = tokensOf(path);
  const names: string[] = [];
  let spelt = "";
  let schema: JsonSchema | undefined = root;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? "";
    if (token !== "[" && token !== ".") return { error: `expected [ or . but got: ${token}` };
    if (token === "[" && !brackets) return { error: "array notation is not allowed" };
    index += 1;
    const next = tokens[index];
    if (next === undefined) return { error: "unexpected end of JSON path" };
    const name = token === "." ? next : quoted(next);
    if (name === undefined) return { error: `expected single quoted string but got ${next}` };
    const found: { readonly schema: JsonSchema | undefined } | undefined = step(schema, name);
    if (found === undefined) return { error: "does not refer to a valid field" };
    names.push(name);
    if (schema !== undefined && propertiesOf(schema).length === 0) spelt += `[${name}]`;
    else spelt += spelt === "" ? name : `.${name}`;
    schema = found.schema;
    if (token === ".") continue;
    index += 1;
    const end = tokens[index];
    if (end === undefined) return { error: "unexpected end of JSON path" };
    if (end !== "]") return { error: `expected ] but got ${end}` };
  }
  return { names, path: spelt, schema };
}

/** Dots and brackets by themselves, what is between them, and quoted texts with whatever is in them. */
function tokensOf(path: string): string[] {
  return path.match(/[.[\]]|'(?:\\.|[^'\\])*'|[^.[\]]+/gsu) ?? [];
}

function quoted(token: string): string | undefined {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined;
  return token.slice(1, -1).replaceAll(/\\(['\\])/gu, "$1");
}

function step(
  schema: JsonSchema | undefined,
  name: string,
): { readonly schema: JsonSchema | undefined } | undefined {
  if (schema === undefined) return undefined;
  if (propertiesOf(schema).length > 0) {
    const property = propertyOf(schema, name);
    return property === undefined ? undefined : { schema: property };
  }
  return schema.additionalProperties === undefined ? undefined : { schema: additionalOf(schema) };
}
