/** A JSON object of which only the wanted members are looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; throws, naming `where`, when it is something else. */
export function object(value: unknown, where: string): JsonObject {
  if (isObject(value)) return value;
  throw new TypeError(`${where}: must be an object, not ${JSON.stringify(value)}`);
}

/** The value as a string; throws, naming `where`, when it is something else. */
export function text(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${where}: must be a string, not ${JSON.stringify(value)}`);
}

/** The value as a list of what `read` makes of its items; nothing there is an empty list. */
export function list<T>(
  value: unknown,
  where: string,
  read: (item: unknown, where: string) => T,
): readonly T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new TypeError(`${where}: must be a list, not ${JSON.stringify(value)}`);
  return value.map((item, index) => read(item, `${where}[${index}]`));
}

/** Name and value of the members, in the order of the names; nothing there is an empty list. */
export function members(value: unknown, where: string): readonly (readonly [string, unknown])[] {
  if (value === undefined) return [];
  return Object.entries(object(value, where)).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
