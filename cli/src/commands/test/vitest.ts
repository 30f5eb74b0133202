import { Writable } from "node:stream";
import type { Terminal } from "../../terminal/terminal.ts";
import { SuiteReporter } from "./suite-reporter.ts";
import type { Tally } from "./tally.ts";

/** What a run of vitest needs. */
export interface VitestOptions {
  readonly root: string;
  readonly terminal: Terminal;
  /** Where tests leave the logs of the processes that they start: `KEDGE_TEST_LOGS` tells them. */
  readonly logs: string;
  /** Added to the environment of the tests. */
  readonly env: Readonly<Record<string, string>>;
  /** Only test files with this text in their path. */
  readonly filter: string | undefined;
}

/** Runs one suite of vitest.config.ts, printing one line for each suite, and failures as they happen. */
export async function runVitest(project: string, options: VitestOptions): Promise<Tally> {
  const { root, terminal, filter, logs, env } = options;
  const { startVitest } = await import("vitest/node");
  const reporter = new SuiteReporter({ root, terminal });
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      terminal.print(chunk.toString());
      done();
    },
  });
  await startVitest(
    filter === undefined ? [] : [filter],
    {
      root,
      // Those of it that run in one process, and those that must run alone, are projects of their own.
      project: [project, `${project}-virtual`, `${project}-alone`],
      run: true,
      watch: false,
      passWithNoTests: true,
      reporters: [reporter],
      env: { KEDGE_TEST_LOGS: logs, ...env },
    },
    {},
    { stdout: output, stderr: output },
  );
  return reporter.tally();
}
