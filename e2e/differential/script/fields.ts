/** Reads the fields of an object one by one, and knows which nobody has asked for. */
export class Fields {
  readonly #where: string;
  readonly #rest: Map<string, unknown>;

  constructor(value: unknown, where: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Error(`${where} has to be an object`);
    }
    this.#where = where;
    this.#rest = new Map(Object.entries(value));
  }

  /** The names of all fields that are left. */
  names(): readonly string[] {
    return [...this.#rest.keys()];
  }

  take(name: string): unknown {
    const value = this.#rest.get(name);
    this.#rest.delete(name);
    return value;
  }

  text(name: string): string | undefined {
    return this.#typed(name, (value) => typeof value === "string", "a text");
  }

  number(name: string): number | undefined {
    return this.#typed(name, (value) => typeof value === "number", "a number");
  }

  flag(name: string): boolean {
    return this.#typed(name, (value) => typeof value === "boolean", "true or false") ?? false;
  }

  /** A list of texts; one text stands for a list of one. */
  texts(name: string): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    return (Array.isArray(value) ? value : [value]).map(String);
  }

  /** Texts, or lists of texts, by name. */
  headers(name: string): Readonly<Record<string, string | readonly string[]>> {
    const value = new Fields(this.take(name) ?? {}, `${name} of ${this.#where}`);
    const entries = value.names().map((key) => [key, value.texts(key) ?? []] as const);
    return Object.fromEntries(
      entries.map(([key, [only, ...more]]) => [key, more.length > 0 ? [only ?? "", ...more] : (only ?? "")]),
    );
  }

  /** Fails when there are fields that nobody has asked for. */
  finish(): void {
    const unknown = this.names();
    if (unknown.length > 0)
      throw new Error(`${this.#where} has no field ${unknown.join(", ")}: see README.md`);
  }

  #typed<T>(name: string, isType: (value: unknown) => value is T, type: string): T | undefined {
    const value = this.take(name);
    if (value === undefined || isType(value)) return value;
    throw new Error(`${name} of ${this.#where} has to be ${type}, not ${JSON.stringify(value)}`);
  }
}

/** The value as a list. */
export function listOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} has to be a list`);
  return value;
}
