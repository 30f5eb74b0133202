import { deepEqual, messageOf } from "@kedge/machinery";
import type { ClusterState } from "./cluster-state.ts";
import { differences } from "./differences.ts";
import type { CrashMoment } from "./faulty-transport.ts";
import { prepareScenario, runScenario, type Scenario } from "./run-scenario.ts";
import type { CrashPoint } from "./test-process.ts";

/** Something that a process must do to the end, whenever it is killed. */
export interface CrashScenario extends Scenario {
  /** Which of the points to try. Default: all. */
  readonly choose?: (points: readonly CrashPoint[]) => readonly CrashPoint[];
}

/** What became of it. */
export interface CrashReport {
  /** What the process wrote in the undisturbed run. */
  readonly writes: readonly string[];
  /** At how many points it was killed, each in a run of its own. */
  readonly points: number;
  /** What is there in the end of the undisturbed run, by `Kind namespace/name`. */
  readonly end: readonly string[];
  /** The points after which the end was another one, with what is different. */
  readonly failures: readonly string[];
}

const moments: readonly CrashMoment[] = ["before", "at", "after"];

/**
 * Runs a scenario undisturbed, then again for each write of the process with the process killed before, at and after
 * it. Every run must come to the same objects, each made and removed as often.
 */
export async function crashEverywhere(scenario: CrashScenario): Promise<CrashReport> {
  const from = await prepareScenario(scenario);
  const undisturbed = await runScenario(scenario, { from });
  const { writes } = undisturbed;
  const same = scenario.same ?? ((state: ClusterState): unknown => state);
  const expected = same(undisturbed.state);
  const points = writes.flatMap((_what, number) => moments.map((when) => ({ write: number, when })));
  const chosen = scenario.choose?.(points) ?? points;
  const failures = undisturbed.problems.map((problem) => `undisturbed: ${problem}`);
  for (const crash of chosen) {
    const what = `killed ${crash.when} write ${crash.write}, ${writes[crash.write]}`;
    try {
      const { state, problems, lives } = await runScenario(scenario, { from, crash });
      const found = same(state);
      const others = [
        ...problems,
        ...(lives === 2 ? [] : [`it has had ${lives} lives`]),
        ...(deepEqual(found, expected) ? [] : differences(expected, found)),
      ];
      if (others.length > 0) failures.push([what, ...others].join("\n  "));
    } catch (error) {
      failures.push(`${what}\n  ${messageOf(error)}`);
    }
  }
  const end = Object.keys(undisturbed.state.objects);
  return { writes, points: chosen.length, end, failures };
}
