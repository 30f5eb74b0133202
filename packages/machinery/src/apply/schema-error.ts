/** One way in which a value does not fit its schema. */
export interface SchemaProblem {
  /** `.spec.containers[name="a"]`; empty for the object itself. */
  readonly path: string;
  readonly message: string;
}

/** A value does not fit its schema, so that it cannot be merged. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  readonly problems: readonly SchemaProblem[];

  constructor(problems: readonly SchemaProblem[]) {
    super(problemsText(problems));
    this.problems = problems;
  }
}

function problemsText(problems: readonly SchemaProblem[]): string {
  const texts = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return texts.length === 1 ? (texts[0] ?? "") : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}
