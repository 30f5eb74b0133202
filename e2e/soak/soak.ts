import { existsSync } from "node:fs";
import { messageOf, realClock } from "@kedge/machinery";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { belongingsOf, changedBelongings, type Belongings } from "../cluster/testing/belongings.ts";
import { changesBetween, machineState, namesOf } from "../cluster/testing/machine.ts";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { until, type Churn } from "./churn.ts";
import { partFigures, type PartFigures } from "./growth.ts";
import { churnKeys, type KeyCounts } from "./key-churn.ts";
import { killParts, type Returns } from "./kill-parts.ts";
import { churnObjects, type ObjectCounts } from "./object-churn.ts";
import { takeSamples, type Sample } from "./part-processes.ts";
import { churnPods } from "./pod-churn.ts";
import { churnInstances, createInstance } from "./redis-churn.ts";

/** How a soak is run. */
export interface SoakOptions {
  readonly durationMs: number;
  readonly killEveryMs: number;
  /** Told how far it has come, and of every problem at once. */
  readonly onNews: (line: string) => void;
}

/** What a soak has shown. */
export interface SoakReport {
  readonly durationMs: number;
  readonly objects: ObjectCounts;
  readonly keys: KeyCounts;
  readonly pods: number;
  readonly instances: number;
  readonly returns: Returns;
  readonly parts: readonly PartFigures[];
  /** What was lost or leaked, or took far too long. Empty when all is well. */
  readonly problems: readonly string[];
}

const sampleEveryMs = 2000;
/** The RedisInstance that stays from the beginning to the end. */
const keeper = "keeper";

/**
 * Starts a cluster, creates and deletes objects, pods and RedisInstances in it while its parts are killed one after the
 * other, and looks afterwards for what was lost and what was left behind.
 */
export async function soak({ durationMs, killEveryMs, onNews }: SoakOptions): Promise<SoakReport> {
  const clock = realClock;
  const problems: string[] = [];
  const onProblem = (what: string): void => {
    problems.push(what);
    onNews(`! ${what}`);
  };
  const untouched = await machineState({ words: [], id: "" });
  const cluster = await upCluster({ flags: ["--no-sample"] });
  try {
    const { client, dir } = cluster;
    await createInstance({ client, clock }, keeper, { deletionPolicy: "Retain" });
    const names = namesOf(dir);
    const quiet = await belongingsOf(dir);
    onNews(`the cluster runs in ${dir}; parts are killed every ${killEveryMs / 1000} s`);

    const began = clock.monotonic();
    using time = clock.deadline(durationMs);
    const churn: Churn = { client, clock, signal: time.signal, onProblem };
    const samples: Sample[] = [];
    const [returns, keys, pods, instances, ...objects] = await Promise.all([
      killParts(churn, { dir, everyMs: killEveryMs }),
      churnKeys(churn, keeper),
      churnPods(churn, "pod"),
      churnInstances(churn),
      churnObjects(churn, "a"),
      churnObjects(churn, "b"),
      sampleParts(churn, dir, samples),
    ]);
    const churned = clock.monotonic() - began;
    onNews("the end: looking for what is left");
    await leftBehind(churn, cluster, quiet);
    await cluster.down("--purge");
    for (const change of changesBetween(untouched, await machineState(names)))
      onProblem(`left on the machine: ${change}`);
    if (existsSync(dir)) onProblem(`left after --purge: ${dir}`);
    const parts = partFigures(samples);
    for (const { role, growth } of parts) for (const one of growth) onProblem(`${role}: ${one}`);
    return {
      durationMs: churned,
      objects: sum(objects),
      keys,
      pods,
      instances,
      returns,
      parts,
      problems,
    };
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}

async function sampleParts({ clock, signal }: Churn, dir: string, samples: Sample[]): Promise<undefined> {
  while (!signal.aborted) {
    samples.push(...takeSamples(dir));
    await clock.sleep(sampleEveryMs, signal).catch(() => undefined);
  }
}

/** Waits until only what was there before the churn is there again. */
async function leftBehind(churn: Churn, cluster: TestCluster, quiet: Belongings): Promise<void> {
  const { client } = cluster;
  let left: readonly string[] = [];
  try {
    await until(churn, "nothing left of the churn", async () => {
      const [{ items: pods }, { items: claims }, now] = await Promise.all([
        client.of(Pod).list().all(),
        client.of(PersistentVolumeClaim).list().all(),
        belongingsOf(cluster.dir),
      ]);
      const others = [...pods, ...claims].map(({ metadata }) => metadata.name);
      left = [
        ...others.filter((name) => !name.endsWith(`${keeper}-0`)).map((name) => `object ${name}`),
        ...changedBelongings(quiet, now),
      ];
      return left.length === 0;
    });
  } catch (error) {
    churn.onProblem(messageOf(error));
    for (const one of left) churn.onProblem(`left behind: ${one}`);
  }
}

function sum(lanes: readonly (ObjectCounts | undefined)[]): ObjectCounts {
  const add = (what: keyof ObjectCounts): number =>
    lanes.reduce((total, one) => total + (one?.[what] ?? 0), 0);
  return { acknowledged: add("acknowledged"), unanswered: add("unanswered"), lost: add("lost") };
}
