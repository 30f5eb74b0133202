/**
 * Work on a large object that is done in steps: where it yields, whoever drives it may let others in. Without hurry,
 * `finish` does it at once.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
