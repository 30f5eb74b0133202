import { deepEqual, messageOf } from "@kedge/machinery";
import type { ClusterState } from "./cluster-state.ts";
import type { CrashMoment } from "./faulty-transport.ts";
import { differences } from "./differences.ts";
import type { CrashPoint } from "./test-process.ts";
import { startTestEnv } from "./start-test-env.ts";
import type { Snapshot, TestEnv, TestEnvOptions } from "./types.ts";

/** Something that a process must do to the end, whenever it is killed. */
export interface CrashScenario {
  /** Of every environment; each run has its own. */
  readonly options: TestEnvOptions;
  /** Who is killed. */
  readonly process: string;
  /** Brings the cluster to where the scenario begins, once for all runs. Nobody is killed yet. */
  readonly prepare?: (env: TestEnv) => Promise<void>;
  /** What the user does. */
  readonly act: (env: TestEnv) => Promise<void>;
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
  const from = await prepared(scenario);
  const undisturbed = await runOnce(scenario, from);
  const { writes } = undisturbed;
  const points = writes.flatMap((_what, number) => moments.map((when) => ({ write: number, when })));
  const chosen = scenario.choose?.(points) ?? points;
  const failures: string[] = [];
  for (const point of chosen) {
    const what = `killed ${point.when} write ${point.write}, ${writes[point.write]}`;
    try {
      const { state, lives } = await runOnce(scenario, from, point);
      const others = [
        ...(lives === 2 ? [] : [`it has had ${lives} lives`]),
        ...(deepEqual(state, undisturbed.state) ? [] : differences(undisturbed.state, state)),
      ];
      if (others.length > 0) failures.push([what, ...others].join("\n  "));
    } catch (error) {
      failures.push(`${what}\n  ${messageOf(error)}`);
    }
  }
  const end = Object.keys(undisturbed.state.objects);
  return { writes, points: chosen.length, end, failures };
}

interface Ended {
  readonly writes: readonly string[];
  readonly state: ClusterState;
  readonly lives: number;
}

async function prepared({ options, prepare }: CrashScenario): Promise<Snapshot> {
  await using env = await startTestEnv(options);
  await prepare?.(env);
  await env.untilQuiet();
  return await env.snapshot();
}

async function runOnce(scenario: CrashScenario, from: Snapshot, point?: CrashPoint): Promise<Ended> {
  await using env = await startTestEnv({ ...scenario.options, from });
  await env.untilQuiet();
  const process = env.process(scenario.process);
  const begun = process.writes.length;
  process.crashAt(point === undefined ? undefined : { ...point, write: begun + point.write });
  await scenario.act(env);
  await env.untilQuiet();
  return { writes: process.writes.slice(begun), state: await env.state(), lives: process.lives };
}
