import type { ClusterState } from "./cluster-state.ts";
import { startTestEnv } from "./start-test-env.ts";
import type { CrashPoint } from "./test-process.ts";
import type { Snapshot, TestEnv, TestEnvOptions } from "./types.ts";

/** Something that a process must do to the end, whatever happens to it. */
export interface Scenario {
  /** Of every environment; each run has its own. */
  readonly options: TestEnvOptions;
  /** Whom something happens to. */
  readonly process: string;
  /** Brings the cluster to where the scenario begins, once for all runs. Nothing happens yet. */
  readonly prepare?: (env: TestEnv) => Promise<void>;
  /** What the user does. */
  readonly act: (env: TestEnv) => Promise<void>;
  /** Says what is wrong with the end, beside its being another one. */
  readonly check?: (env: TestEnv) => Promise<readonly string[]>;
  /** What all ends must have in common. Default: everything. */
  readonly same?: (state: ClusterState) => unknown;
}

/** How a run went. */
export interface Ended {
  /** What the process wrote. */
  readonly writes: readonly string[];
  readonly state: ClusterState;
  /** What `check` said. */
  readonly problems: readonly string[];
  readonly lives: number;
}

/** Where all runs of a scenario begin. */
export async function prepareScenario({ options, prepare }: Scenario): Promise<Snapshot> {
  await using env = await startTestEnv(options);
  await prepare?.(env);
  await env.untilQuiet();
  return await env.snapshot();
}

const quietMs = 30_000;

/** One run, to its end. */
export async function runScenario(
  scenario: Scenario,
  { from, crash, ...options }: TestEnvOptions & { readonly from: Snapshot; readonly crash?: CrashPoint },
): Promise<Ended> {
  await using env = await startTestEnv({ ...scenario.options, ...options, from });
  await env.untilQuiet();
  const process = env.process(scenario.process);
  const begun = process.writes.length;
  process.crashAt(crash === undefined ? undefined : { ...crash, write: begun + crash.write });
  await scenario.act(env);
  const { lag = 0 } = options;
  const slowest = typeof lag === "number" ? lag : Math.max(0, ...Object.values(lag));
  // Who is behind by several pieces of a watch has yet to write.
  await env.untilQuiet(quietMs + 10 * slowest, { limit: 3_600_000 });
  const problems = (await scenario.check?.(env)) ?? [];
  return { writes: process.writes.slice(begun), state: await env.state(), problems, lives: process.lives };
}
