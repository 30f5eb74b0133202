/** What became of a suite's tests. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
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
    failed: tallies.reduce((total, { failed }) => total + failed, 0),
    skipped: tallies.flatMap(({ skipped }) => skipped),
  };
}

/** The line that `kedge test` ends with: a contract for scripts, so it never has colours. */
export function lastLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped.length} skipped`;
}
