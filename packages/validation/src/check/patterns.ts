import { fieldForbidden, isJsonList, isJsonObject, type FieldError, type FieldPath } from "@kedge/machinery";

/** Different patterns that a schema may have, and characters of all of them: each is compiled to be checked. */
const mostPatterns = 1000;
const mostCharacters = 20_000;

/** Refuses a schema of too many patterns, or too long ones. Kubernetes takes them. */
export function checkPatterns(schema: unknown, path: FieldPath): FieldError[] {
  const found = new Set<string>();
  collect(schema, found);
  let characters = 0;
  for (const pattern of found) characters += pattern.length;
  if (found.size <= mostPatterns && characters <= mostCharacters) return [];
  const limits = `${mostPatterns} different patterns and ${mostCharacters} characters of them`;
  const detail = `a schema may have ${limits}, this one has ${found.size} and ${characters}`;
  return [fieldForbidden(path, detail)];
}

function collect(part: unknown, found: Set<string>): void {
  if (isJsonList(part)) for (const item of part) collect(item, found);
  if (!isJsonObject(part)) return;
  for (const name in part) {
    const value = part[name];
    if (name === "pattern" && typeof value === "string") found.add(value);
    else if (typeof value === "object") collect(value, found);
  }
}
