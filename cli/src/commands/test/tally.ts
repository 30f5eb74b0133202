/** What became of a suite's tests. */
export interface Tally {
  readonly passed: number;
  /** The names of those that failed, and of whatever else failed: a hook, a file that cannot be loaded. */
  readonly failed: readonly string[];
  readonly skipped: readonly SkippedTest[];
}

/** A test that did not run, and why. */
export interface SkippedTest {
  readonly name: string;
  readonly reason: string;
}

/** All of them together. */
export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.flatMap(({ failed }) => failed),
    skipped: tallies.flatMap(({ skipped }) => skipped),
  };
}

/** The line that `kedge test` ends with: a contract for scripts, so it never has colours. */
export function lastLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`;
}
