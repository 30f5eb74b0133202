import { fieldPath, type FieldError, type FieldPath } from "@kedge/machinery";

/** What a check of one value found. `matches` counts the checks that held: it picks the best of failed alternatives. */
export interface Outcome {
  readonly errors: FieldError[];
  /** What tells these errors apart. */
  readonly known: Set<string>;
  matches: number;
}

/**
 * Collects what is wrong with a value, and knows the way to the part that is being looked at. One is made for each
 * validation; the checks that it goes through are compiled once.
 */
export class Findings {
  #outcome: Outcome = { errors: [], known: new Set(), matches: 0 };
  /** `spec`, `.list`, `[2]`, `.name`: joined they are the path, as messages have it. */
  readonly #steps: string[] = [];
  readonly #root: FieldPath | undefined;

  constructor(root: FieldPath | undefined) {
    this.#root = root;
  }

  get errors(): readonly FieldError[] {
    return this.#outcome.errors;
  }

  /** Declared fields of the root have no dot before them. */
  enterField(name: string, dotted: string): void {
    this.#steps.push(this.#steps.length === 0 ? name : dotted);
  }

  enterKey(key: string): void {
    this.#steps.push(`.${key}`);
  }

  enterItem(index: number): void {
    this.#steps.push(`[${index}]`);
  }

  leave(): void {
    this.#steps.pop();
  }

  /** Whether a field of the root is looked at. */
  get atRoot(): boolean {
    return this.#steps.length === 1;
  }

  matched(count: number): void {
    this.#outcome.matches += count;
  }

  /** The path as messages have it: `spec.list[2]`. */
  get path(): string {
    return this.#steps.join("");
  }

  /** The path as a field of the answer, `<nil>` for the root. `below` is appended as it is. */
  field(below = ""): string {
    const path = `${this.path}${below}`;
    if (path === "" || path === ".") return this.#root === undefined ? "<nil>" : this.#root.toString();
    const name = path.startsWith(".") ? path.slice(1) : path;
    return this.#root === undefined ? fieldPath(name).toString() : this.#root.child(name).toString();
  }

  /** The same complaint is not repeated. */
  add(error: FieldError): void {
    const { errors, known } = this.#outcome;
    const id = idOf(error);
    if (known.has(id)) return;
    known.add(id);
    errors.push(error);
  }

  /** A complaint of alternatives: it names the path in its text, and belongs to the root. */
  addToRoot(detail: string): void {
    const field = this.#root === undefined ? "<nil>" : this.#root.toString();
    this.add({ type: "FieldValueInvalid", field, badValue: "", detail });
  }

  get count(): number {
    return this.#outcome.errors.length;
  }

  /** Forgets what was found after there were so many. */
  truncate(count: number): void {
    const { errors, known } = this.#outcome;
    for (const error of errors.splice(count)) known.delete(idOf(error));
  }

  /** Runs a check whose findings may not count. */
  apart(check: () => void): Outcome {
    const outer = this.#outcome;
    this.#outcome = { errors: [], known: new Set(), matches: 0 };
    try {
      check();
      return this.#outcome;
    } finally {
      this.#outcome = outer;
    }
  }

  merge(outcome: Outcome): void {
    for (const error of outcome.errors) this.add(error);
    this.#outcome.matches += outcome.matches;
  }
}

function idOf({ type, field, detail }: FieldError): string {
  return JSON.stringify([type, field, detail]);
}
