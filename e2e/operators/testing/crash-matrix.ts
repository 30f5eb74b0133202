import { crashEverywhere, type CrashPoint } from "@kedge/testkit";
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
}

/** A test for each scenario: whenever the process is killed, the end is that of the undisturbed run. */
export function testCrashMatrix({ operator, killed, choose }: CrashMatrix): void {
  const names = Object.keys(steps).filter((name) => name.startsWith(`${operator}:`));
  it.for(names)("%s", { timeout: 1_800_000 }, async (name, { annotate }) => {
    const scenario = scenarioOf(name, killed);
    const { writes, points, end, failures } = await crashEverywhere({
      ...scenario,
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

/** What every namespace `default` has. */
const always = [
  "ConfigMap default/kube-root-ca.crt",
  "Service default/kubernetes",
  "ServiceAccount default/default",
];

function isOfUser(object: string): boolean {
  return object.includes(" default/") || object.startsWith("PersistentVolume ");
}
