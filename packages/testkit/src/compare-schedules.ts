import { deepEqual, messageOf } from "@kedge/machinery";
import { differences } from "./differences.ts";
import { prepareScenario, runScenario, type Scenario } from "./run-scenario.ts";
/** In which order things happen. */
export interface Schedule {
  /** What chance says. */
  readonly seed: number;
  /** Milliseconds that each piece of a watch of the process is late at most. Others' are as usual. */
  readonly lag: number;
}

/**
 * Runs a scenario as it is, then once by each schedule, nobody being killed: the process' caches are far behind and show
 * what was, and every run must come to the same objects all the same, each made and removed as often. Gives what differs.
 */
export async function compareSchedules(
  scenario: Scenario,
  schedules: readonly Schedule[],
): Promise<readonly string[]> {
  const from = await prepareScenario(scenario);
  const usual = await runScenario(scenario, { from });
  const failures: string[] = [];
  for (const schedule of schedules) {
    const what = `by the schedule ${JSON.stringify(schedule)}`;
    try {
      const { seed, lag } = schedule;
      const { state } = await runScenario(scenario, { seed, lag: { [scenario.process]: lag }, from });
      if (!deepEqual(state, usual.state))
        failures.push([what, ...differences(usual.state, state)].join("\n  "));
    } catch (error) {
      failures.push(`${what}\n  ${messageOf(error)}`);
    }
  }
  return failures;
}
