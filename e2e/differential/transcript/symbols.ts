/** Stands for values that differ from run to run: the same value has the same symbol, `<uid:1>` for the first seen. */
export class Symbols {
  readonly #numbers = new Map<string, number>();
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  of(value: string): string {
    const number = this.#numbers.get(value) ?? this.#numbers.size + 1;
    this.#numbers.set(value, number);
    return `<${this.#name}:${number}>`;
  }
}

/**
 * Stands for resource versions: `<rv:2>` is the second oldest object version of the whole play, so that order shows,
 * too. What is the version of a collection depends on what else happens on the server; it is shown by its place among
 * the object versions: `<rv:2+>` is that version or later, but earlier than `<rv:3>`.
 */
export class VersionSymbols {
  readonly #sorted: readonly bigint[];

  constructor(ofObjects: Iterable<string>) {
    this.#sorted = [...new Set(ofObjects)].map(BigInt).toSorted((a, b) => Number(a - b));
  }

  ofObject(version: string): string {
    return `<rv:${this.#sorted.indexOf(BigInt(version)) + 1}>`;
  }

  ofCollection(version: string): string {
    return `<rv:${this.#sorted.filter((known) => known <= BigInt(version)).length}+>`;
  }
}
