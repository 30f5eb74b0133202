import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInvalid, messageOf, realClock, seededRandom } from "@kedge/machinery";
import { Node, PersistentVolumeClaim, Pod, type PodSpec } from "@kedge/machinery/kinds/core/v1";
import { changesBetween, machineState, namesOf } from "../cluster/testing/machine.ts";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { Chooser } from "../fuzz/chooser.ts";
import { until } from "../soak/churn.ts";
import { pidsIn, returnsOf } from "../soak/part-processes.ts";
import { chooseFate, deletePod, suffer, type Fate } from "./fate.ts";
import { leftBetween, nodeState, type NodeState } from "./node-state.ts";
import { randomPod } from "./random-pod.ts";
import { createStage, namespace, type Stage } from "./stage.ts";

/** How many pods, and which. */
export interface StormOptions {
  readonly seed: string;
  readonly pods: number;
  /** So many at once. */
  readonly wave: number;
  readonly onNews: (line: string) => void;
}

/** What a storm has shown. */
export interface StormReport {
  /** What the API server said no to: the node has not seen it. */
  readonly refused: readonly string[];
  /** How many of the others were in which phase when their time was over. */
  readonly phases: Readonly<Record<string, number>>;
  /** What was left behind, hung or broke. Empty when all is well. */
  readonly problems: readonly string[];
}

interface RandomPod {
  readonly name: string;
  readonly spec: PodSpec;
  readonly fate: Fate;
}

const role = "node/kedge";

/**
 * Starts a cluster, has it run random pods in waves, deletes them at random moments while the agent is killed now and
 * then, and looks afterwards for what is left of them.
 */
export async function storm({ seed, pods, wave, onNews }: StormOptions): Promise<StormReport> {
  const problems: string[] = [];
  const onProblem = (what: string): void => {
    problems.push(what);
    onNews(`! ${what}`);
  };
  const refused: string[] = [];
  const phases: Record<string, number> = {};
  const untouched = await machineState({ words: [], id: "" });
  const hostFolder = await mkdtemp(join(tmpdir(), "kedge-storm-"));
  const cluster = await upCluster({ flags: ["--no-operators"] });
  try {
    const stage = await createStage(cluster, hostFolder);
    const names = namesOf(cluster.dir);
    const quiet = await nodeState(cluster.dir);
    const choose = new Chooser(seededRandom(seed), 0);
    for (let first = 0; first < pods; first += wave) {
      const all = Array.from({ length: Math.min(wave, pods - first) }, (_, index) => ({
        name: `random-${first + index}`,
        spec: randomPod(choose, stage.sources),
        fate: chooseFate(choose),
      }));
      onNews(`pods ${first} to ${first + all.length - 1}`);
      const life = async (pod: RandomPod): Promise<void> => {
        const ended = await live(cluster, pod);
        if (ended.refused !== undefined) refused.push(ended.refused);
        else phases[ended.phase] = (phases[ended.phase] ?? 0) + 1;
      };
      const kill = (first / wave) % 2 === 1 ? killAgent(cluster) : Promise.resolve();
      for (const result of await Promise.allSettled([kill, ...all.map(life)]))
        if (result.status === "rejected") onProblem(messageOf(result.reason));
    }
    for (const one of await leftAfter(cluster, quiet)) onProblem(`left behind: ${one}`);
    for (const one of await unwell(cluster, stage)) onProblem(one);
    await cluster.down("--purge");
    for (const change of changesBetween(untouched, await machineState(names)))
      onProblem(`left on the machine: ${change}`);
    if (existsSync(cluster.dir)) onProblem(`left after --purge: ${cluster.dir}`);
    return { refused, phases, problems };
  } finally {
    await cluster[Symbol.asyncDispose]();
    await rm(hostFolder, { recursive: true, force: true });
  }
}

/** From its creation until it is gone. */
async function live(
  cluster: TestCluster,
  { name, spec, fate }: RandomPod,
): Promise<{ readonly refused?: string; readonly phase: string }> {
  const pods = cluster.client.of(Pod);
  const key = { namespace, name };
  try {
    await pods.create({ metadata: { ...key, labels: { app: "random" } }, spec });
  } catch (error) {
    if (isInvalid(error)) return { refused: `${name}: ${messageOf(error)}`, phase: "" };
    throw error;
  }
  await suffer(cluster, name, fate);
  const phase = (await pods.get(key)).status?.phase ?? "";
  await deletePod(cluster.client, name, fate.force);
  return { phase };
}

/** By signal 9. Resolves when the next one works. */
async function killAgent({ dir }: TestCluster): Promise<void> {
  const before = returnsOf(dir, role);
  await realClock.sleep(1500);
  process.kill(pidsIn(dir).get(role) ?? 0, "SIGKILL");
  await until({ clock: realClock }, "the agent back", () => Promise.resolve(returnsOf(dir, role) > before));
}

/** Waits until nothing is left of the pods; gives what is, when it never goes. */
async function leftAfter({ client, dir }: TestCluster, quiet: NodeState): Promise<readonly string[]> {
  let left: readonly string[] = [];
  try {
    await until({ clock: realClock }, "nothing left", async () => {
      const { items } = await client.of(Pod).list({ namespace, labelSelector: "app=random" }).all();
      const objects = items.map(({ metadata }) => `pod ${metadata.name}`);
      left = [...objects, ...leftBetween(quiet, await nodeState(dir))];
      return left.length === 0;
    });
    return [];
  } catch (error) {
    return [messageOf(error), ...left];
  }
}

/** What is not as well as it was before: the node, the pod that ran all the time, a pod that comes now. */
async function unwell({ client }: TestCluster, { keeper, sources }: Stage): Promise<readonly string[]> {
  const pods = client.of(Pod);
  const node = await client.of(Node).get({ name: "kedge" });
  const kept = await pods.get({ namespace, name: keeper.metadata.name });
  const claims = (await client.of(PersistentVolumeClaim).list({ namespace }).all()).items;
  const key = { namespace, name: "afterwards" };
  const container = { name: "main", image: "busybox:1.35", command: ["sh", "-c", "echo still here"] };
  await pods.create({ metadata: key, spec: { restartPolicy: "Never", containers: [container] } });
  await until({ clock: realClock }, "a pod that comes afterwards has run", async () =>
    ["Succeeded", "Failed"].includes((await pods.get(key)).status?.phase ?? ""),
  );
  const said = await pods.log.text(key);
  const before = JSON.stringify(keeper.status?.containerStatuses);
  const after = JSON.stringify(kept.status?.containerStatuses);
  return [
    ...(node.status?.conditions ?? [])
      .filter(({ type, status }) => status !== (type === "Ready" ? "True" : "False"))
      .map(({ type, status, message }) => `the node is ${type} ${status}: ${message}`),
    ...(before === after ? [] : [`the pod that stays was ${before} and is ${after}`]),
    ...(said === "still here\n" ? [] : [`a pod that came afterwards said "${said}"`]),
    ...claims
      .filter(({ metadata }) => !sources.claims.includes(metadata.name))
      .map(({ metadata }) => `left behind: claim ${metadata.name}`),
  ];
}
