/** An object as JSON has it. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON list, its items of unknown type. */
export function isJsonList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** The value of an object's own key: `constructor` and its like are not found on an object that does not have them. */
export function getOwn(object: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key whatever its name: assigning to `__proto__` would change the object's prototype instead. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
