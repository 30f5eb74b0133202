/** A definition that says what a CustomResourceDefinition cannot. Thrown when the kind is defined, not when it is used. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  /** The field, such as `spec.storage.size`; `[*]` stands for items, `.*` for values of a map. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.path = path;
  }
}
