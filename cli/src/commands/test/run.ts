import { realClock } from "@kedge/machinery";
import type { KedgeContext } from "../../context.ts";
import { exitCodes } from "../../exit-code.ts";
import { terminalOn, type Terminal } from "../../terminal/terminal.ts";
import { runChecks } from "./checks.ts";
import { runReal } from "./real.ts";
import { suitesToRun, type Suite } from "./suites.ts";
import { lastLine, sum, type Tally } from "./tally.ts";
import { runVitest } from "./vitest.ts";

/** Flags of `kedge test`. */
export interface TestFlags {
  readonly filter?: string;
}

/** Runs the suites one after the other, all of them even when one fails, and ends with the tally. */
export async function runTests(
  context: KedgeContext,
  { filter }: TestFlags,
  only?: Suite,
): Promise<Error | void> {
  if (only === "check" && filter !== undefined) {
    return new Error("--filter chooses test files, and `check` has none: leave one of the two out");
  }
  const terminal = terminalOn(context.process, realClock);
  const options = { root: context.root, terminal, clock: realClock };
  const start = realClock.monotonic();
  const tallies: Tally[] = [];
  for (const suite of suitesToRun(only, filter)) {
    terminal.print(`${terminal.style("bold", suite)}\n`);
    tallies.push(
      suite === "check"
        ? await runChecks(options)
        : await (suite === "real" ? runReal : runVitest)(suite, { ...options, filter }),
    );
  }

  const total = sum(tallies);
  const ran = total.passed + total.failed + total.skipped.length;
  if (ran === 0) {
    return new Error(
      filter === undefined ? "there are no tests" : `no test file has \`${filter}\` in its path`,
    );
  }
  printSkipped(total, terminal);
  const seconds = (realClock.monotonic() - start) / 1000;
  terminal.print(`\nfinished in ${seconds.toFixed(1)}s\n${lastLine(total)}\n`);
  context.process.exitCode = total.failed > 0 ? exitCodes.failed : exitCodes.ok;
}

function printSkipped({ skipped }: Tally, terminal: Terminal): void {
  if (skipped.length === 0) return;
  terminal.print(`${terminal.style("bold", "skipped")}\n`);
  for (const { name, reason } of skipped) terminal.print(`  ${name}: ${reason}\n`);
}
