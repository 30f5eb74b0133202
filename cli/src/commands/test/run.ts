import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { cacheFolder } from "../../cluster/cache-folder.ts";
import type { KedgeContext } from "../../context.ts";
import { exitCodes } from "../../exit-code.ts";
import { terminalOn, type Terminal } from "../../terminal/terminal.ts";
import { messageOf } from "../../text.ts";
import { runChecks } from "./checks.ts";
import { runReal } from "./real.ts";
import { suitesToRun, type Suite } from "./suites.ts";
import { lastLine, sum, type Tally } from "./tally.ts";
import { keepLogs, logsFolder } from "./test-logs.ts";
import { beginRun, interruptedRuns, type BegunRun } from "./test-run.ts";
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
  const logs = logsFolder(context.root, realClock);
  const records = join(cacheFolder(context.process.env), "test-runs");
  await clearInterrupted(records, { context, terminal });
  const run = await beginRun(records);
  const options = { root: context.root, terminal, clock: realClock, logs, env: run.env };
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

  await end(run, terminal);

  const total = sum(tallies);
  const ran = total.passed + total.failed.length + total.skipped.length;
  if (ran === 0) {
    return new Error(
      filter === undefined ? "there are no tests" : `no test file has \`${filter}\` in its path`,
    );
  }
  printSkipped(total, terminal);
  await printFailed(total, { terminal, logs });
  const seconds = (realClock.monotonic() - start) / 1000;
  terminal.print(`\nfinished in ${seconds.toFixed(1)}s\n${lastLine(total)}\n`);
  context.process.exitCode = total.failed.length > 0 ? exitCodes.failed : exitCodes.ok;
}

/** What earlier runs have left that were interrupted is taken away; what cannot be is told, and tried again next time. */
async function clearInterrupted(
  records: string,
  { context, terminal }: { readonly context: KedgeContext; readonly terminal: Terminal },
): Promise<void> {
  // Elsewhere there are no clusters, and no way to tell whether a process is the one on record.
  if (process.platform !== "linux") return;
  for (const run of await interruptedRuns(records)) {
    terminal.waitFor("cleaning up after a run of tests that was interrupted");
    const { clearRun } = await import("./clear-run.ts");
    try {
      await clearRun(run, { context, clock: realClock });
      terminal.print("Cleaned up what an interrupted run of tests had left.\n");
    } catch (error) {
      terminal.print(
        `Of an interrupted run of tests something is left in ${run.folder}: ${messageOf(error)}\n`,
      );
    }
    terminal.clear();
  }
}

/** A test that failed may have left what cannot be deleted: it stays on record, for the next run. */
async function end(run: BegunRun, terminal: Terminal): Promise<void> {
  const { endRun } = await import("./clear-run.ts");
  await endRun(run).catch((error: unknown) => {
    terminal.print(`${run.folder} cannot be deleted: ${messageOf(error)}\n`);
  });
}

function printSkipped({ skipped }: Tally, terminal: Terminal): void {
  if (skipped.length === 0) return;
  terminal.print(`${terminal.style("bold", "skipped")}\n`);
  for (const { name, reason } of skipped) terminal.print(`  ${name}: ${reason}\n`);
}

/** The names once more, because what was printed of them is far above, and where the logs of what they started are. */
async function printFailed(
  { failed }: Tally,
  { terminal, logs }: { readonly terminal: Terminal; readonly logs: string },
): Promise<void> {
  const kept = await keepLogs(logs, failed.length > 0);
  if (failed.length === 0) return;
  terminal.print(`${terminal.style("bold", "failed")}\n`);
  for (const name of failed) terminal.print(`  ${name}\n`);
  if (kept) terminal.print(`  logs of the processes that tests started: ${logs}\n`);
}
