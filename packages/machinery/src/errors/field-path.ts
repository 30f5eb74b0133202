/** The path of a field from the root of an object: `spec.containers[0].name`. Text is made only when asked for. */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string;

  constructor(step: string, parent?: FieldPath) {
    this.#step = step;
    this.#parent = parent;
  }

  /** A field of the object at this path. */
  child(...names: readonly string[]): FieldPath {
    if (names.length === 1) return new FieldPath(`.${names[0]}`, this);
    return names.reduce((parent: FieldPath, name) => new FieldPath(`.${name}`, parent), this);
  }

  /** An item of the list at this path. */
  index(index: number): FieldPath {
    return new FieldPath(`[${index}]`, this);
  }

  /** A value of the map at this path: `metadata.labels[app.kubernetes.io/name]`. */
  key(key: string): FieldPath {
    return new FieldPath(`[${key}]`, this);
  }

  toString(): string {
    return this.#parent === undefined ? this.#step : `${this.#parent.toString()}${this.#step}`;
  }
}

/** Starts a path: `fieldPath("spec", "containers")` is `spec.containers`. */
export function fieldPath(root: string, ...names: readonly string[]): FieldPath {
  return new FieldPath(root).child(...names);
}
