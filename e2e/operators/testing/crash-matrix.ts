import { compareSchedules, crashEverywhere, type CrashPoint, type Schedule } from "@kedge/testkit";
import { expect, it } from "vitest";
import { leftOf, scenarioOf, steps } from "./crash-scenarios.ts";

/** Which of the matrix to run. */
export interface CrashMatrix {
  /** Names of scenarios begin with it. */
  readonly operator: "redis" | "application";
  /** Who is killed. Default: the operator. */
  readonly killed?: string;
  /** Default: all points. */
  readonly choose?: (points: readonly CrashPoint[]) => readonly CrashPoint[];
  /** Another one gives another order of what happens at the same time. Default 1. */
  readonly seed?: number;
}

/** A test for each scenario: whenever the process is killed, the end is that of the undisturbed run. */
export function testCrashMatrix({ operator, killed, choose, seed = 1 }: CrashMatrix): void {
  it.for(scenariosOf(operator))(`%s, seed ${seed}`, { timeout }, async (name, { annotate }) => {
    const scenario = scenarioOf(name, killed);
    const { writes, points, end, failures } = await crashEverywhere({
      ...scenario,
      options: { ...scenario.options, seed },
      ...(choose !== undefined && { choose }),
    });
    await annotate(`${points} crash points`, "count");
    expect(writes.length).toBeGreaterThan(1);
    expect(failures).toEqual([]);
    const left = leftOf[name];
    const expected = left === undefined ? end : [...always, ...left].toSorted();
    expect(left === undefined ? end : end.filter(isOfUser)).toEqual(expected);
  });
}

/** A test for each scenario: however far caches are behind, and whatever comes first, the end is the usual one. */
export function testSchedules(operator: CrashMatrix["operator"], schedules: readonly Schedule[]): void {
  it.for(scenariosOf(operator))("%s", { timeout }, async (name, { annotate }) => {
    expect(await compareSchedules(scenarioOf(name), schedules)).toEqual([]);
    await annotate(`${schedules.length} schedules`, "count");
  });
}

const timeout = 1_800_000;

function scenariosOf(operator: CrashMatrix["operator"]): readonly string[] {
  return Object.keys(steps).filter((name) => name.startsWith(`${operator}:`));
}

/** What every namespace `default` has. */
const always = [
  "ConfigMap default/kube-root-ca.crt",
  "Service default/kubernetes",
  "ServiceAccount default/default",
];

function isOfUser(object: string): boolean {
  return object.includes(" default/") || object.startsWith("PersistentVolume ");
}
