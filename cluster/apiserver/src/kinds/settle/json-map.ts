/** A JSON object that may be changed. */
export type JsonMap = Record<string, unknown>;

/** Whether a value is a JSON object: neither a list nor null. */
export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
