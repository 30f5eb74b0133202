/** Where an object has an integer above 2^53, which may have been rounded when it was read: `.spec.size`. */
export function roundedIntegerIn(value: unknown, path = ""): string | undefined {
  if (typeof value === "number")
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const found = roundedIntegerIn(part, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
