const suites = ["unit", "check", "e2e", "real", "sim", "long"] as const;

/** Take minutes to prepare or to run, so they run only when they are asked for. */
const onRequest: ReadonlySet<string> = new Set(["real", "sim", "long"]);

/** A part of `kedge test` that can be run alone. */
export type Suite = (typeof suites)[number];

/** Reads the name of a suite as typed by the user. */
export function parseSuite(typed: string): Suite {
  const suite = suites.find((known) => known === typed);
  if (suite === undefined) {
    throw new Error(`there is no suite \`${typed}\`: it is one of ${suites.join(", ")}`);
  }
  return suite;
}

/** Which suites to run, in order. A filter is about test files, so it leaves the checks out. */
export function suitesToRun(only: Suite | undefined, filter: string | undefined): readonly Suite[] {
  if (only !== undefined) return [only];
  const usual = suites.filter((suite) => !onRequest.has(suite));
  return filter === undefined ? usual : usual.filter((suite) => suite !== "check");
}
