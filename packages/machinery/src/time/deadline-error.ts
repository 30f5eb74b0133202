/** The reason of a deadline's signal: the time that was allowed is up. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  /** The time that was allowed, in milliseconds. */
  readonly ms: number;

  constructor(ms: number) {
    super(`deadline exceeded after ${ms} ms`);
    this.ms = ms;
  }
}
