import type { Clock } from "@kedge/machinery";
import { captureNode } from "../../run-program.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { suiteLine } from "./suite-line.ts";
import { sum, type Tally } from "./tally.ts";

interface Check {
  readonly name: string;
  /** Program and arguments for Node.js, from the root of the workspace. */
  readonly run: readonly string[];
  readonly fix: string;
}

const checks: readonly Check[] = [
  { name: "format", run: ["node_modules/oxfmt/bin/oxfmt", "--check"], fix: "node_modules/.bin/oxfmt" },
  { name: "lint", run: ["node_modules/oxlint/bin/oxlint"], fix: "node_modules/.bin/oxlint --fix" },
  {
    name: "types",
    run: ["node_modules/typescript/bin/tsc", "-b"],
    fix: "node_modules/.bin/tsc -b",
  },
];

/** What the checks need. */
export interface ChecksOptions {
  readonly root: string;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/** Runs formatter, linter and compiler one after the other. Each counts as one test; what it says is shown if it fails. */
export async function runChecks(options: ChecksOptions): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const check of checks) tallies.push(await runCheck(check, options));
  return sum(tallies);
}

async function runCheck(check: Check, { root, terminal, clock }: ChecksOptions): Promise<Tally> {
  terminal.waitFor(check.name);
  const start = clock.monotonic();
  const { code, output } = await captureNode(check.run, root);
  const ms = clock.monotonic() - start;
  terminal.clear();

  const tally = { passed: code === 0 ? 1 : 0, failed: code === 0 ? [] : [check.name], skipped: [] };
  terminal.print(suiteLine({ name: check.name, detail: "", tally, ms }, terminal));
  if (code !== 0) terminal.print(`${output.trimEnd()}\n    try: ${check.fix}\n`);
  return tally;
}
