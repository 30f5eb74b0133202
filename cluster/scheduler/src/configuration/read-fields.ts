/** A value of a file, and where it is in it. */
export interface Place {
  readonly path: string;
  readonly value: unknown;
}

/** The fields of an object. A name that is not among the known ones is refused: it would be dropped silently. */
export function fieldsOf(place: Place, known: readonly string[]): (name: string) => Place {
  const { path, value } = place;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(place, "must be an object");
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const [name, found] of fields) {
    if (!known.includes(name))
      throw wrong(
        { path: below(path, name), value: found },
        `is not done here; these are: ${known.join(", ")}`,
      );
  }
  return (name) => ({ path: below(path, name), value: fields.get(name) ?? undefined });
}

/** The elements of a list; none when it is absent. */
export function elementsOf(place: Place): readonly Place[] {
  const { path, value } = place;
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(place, "must be a list");
  return value.map((element: unknown, index) => ({ path: `${path}[${index}]`, value: element }));
}

/** A text that is not empty. */
export function textOf(place: Place): string {
  if (typeof place.value !== "string" || place.value === "") throw wrong(place, "must be a text");
  return place.value;
}

/** One of some texts. */
export function oneOf<T extends string>(place: Place, known: readonly T[]): T {
  const found = known.find((one) => one === place.value);
  if (found === undefined) throw wrong(place, `must be one of: ${known.join(", ")}`);
  return found;
}

/** A whole number within bounds. */
export function numberOf(
  place: Place,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const { value } = place;
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
    throw wrong(place, `must be a whole number from ${least} to ${most}`);
  return value;
}

/** What a file says that it may not. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Names the field, its value and the rule. */
export function wrong({ path, value }: Place, rule: string): ConfigurationError {
  const shown = value === undefined ? "is absent and" : `is ${JSON.stringify(value)?.slice(0, 100)} and`;
  return new ConfigurationError(`${path === "" ? "it" : path} ${shown} ${rule}`);
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
