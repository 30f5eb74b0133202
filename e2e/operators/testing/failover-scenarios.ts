import { inBackground, type ObjectKey } from "@kedge/machinery";
import { Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import type { CrashScenario, TestEnv } from "@kedge/testkit";
import { seededRedisOperator } from "./operators.ts";
import type { ModelProcess } from "./redis-model/model-process.ts";
import { RedisModel } from "./redis-model/redis-model.ts";

/** The instance that everything happens to. */
export const cache = { namespace: "default", name: "cache" };
const podNameLabel = "statefulset.kubernetes.io/pod-name";
const switchoverAnnotation = "redis.github.com/switchover";

type Step = (env: TestEnv) => Promise<unknown>;

/** What is there, what happens, and what the instance is in the end. */
interface Story {
  readonly prepare?: Step;
  readonly act: Step;
  /** How many servers there are in the end; undefined when the instance is gone. */
  readonly end: number | undefined;
}

/** What happens to replication, by name. */
export const stories: Readonly<Record<string, Story>> = {
  "create three": { act: instance(3), end: 3 },
  "the primary's process ends": { prepare: instance(3), act: crashPrimary, end: 3 },
  "the primary hangs": { prepare: instance(3), act: hangPrimary, end: 3 },
  "the primary hangs for a while": { prepare: instance(3), act: hangForAWhile, end: 3 },
  "the primary of a cache ends": {
    prepare: instance(3, { durability: "cache" }),
    act: crashPrimary,
    end: 3,
  },
  "the primary of a strict one ends": {
    prepare: instance(3, { durability: "strict" }),
    act: crashPrimary,
    end: 3,
  },
  "the primary loses its volume": { prepare: instance(3), act: robPrimary, end: 3 },
  "all processes end at once": { prepare: instance(3), act: crashAll, end: 3 },
  switchover: { prepare: instance(3), act: switchOver("any"), end: 3 },
  "a config that needs a restart": {
    prepare: instance(3),
    act: change({ config: { databases: "17" } }),
    end: 3,
  },
  "volumes are replaced by smaller ones": {
    prepare: instance(3, { storage: { size: "2Gi" } }),
    act: change({ storage: { size: "1Gi", migrate: true } }),
    end: 3,
  },
  "scale out": { prepare: instance(1), act: change({ replicas: 3 }), end: 3 },
  "scale in, the last one is primary": {
    async prepare(env) {
      await instance(3)(env);
      await switchOver("cache-2")(env);
    },
    act: change({ replicas: 2 }),
    end: 2,
  },
  delete: {
    prepare: instance(3, { deletionPolicy: "Delete" }),
    act: (env) => env.run(env.client.of(RedisInstance).delete(cache)),
    end: undefined,
  },
};

/** One of `stories`, in which the operator is killed; clients write all the time. */
export function storyScenario(name: string, seed = 1): CrashScenario {
  const story = stories[name];
  if (story === undefined) throw new Error(`there is no story ${name}`);
  return {
    options: { operators: [seededRedisOperator], programs: (world) => new RedisModel(world), seed },
    process: seededRedisOperator.name,
    async prepare(env) {
      await story.prepare?.(env);
      await env.untilQuiet();
    },
    async act(env) {
      using _client = writeAlways(env);
      await story.act(env);
      // As long as anything can take, with an operator that comes back after a second.
      await env.advance("90s");
    },
    check: (env) => problemsOf(env, story.end),
    same: withoutRoles,
  };
}

/** What is wrong with the end, and with what was seen on the way there. */
export async function problemsOf(env: TestEnv, count: number | undefined): Promise<readonly string[]> {
  const model = modelOf(env);
  const { violations } = model.admissions;
  if (count === undefined) return violations;
  const problems = [...violations];
  const servers = model.processes;
  const primaries = servers.filter(({ isPrimary }) => isPrimary);
  const [primary] = primaries;
  if (servers.length !== count) problems.push(`${servers.length} servers run, not ${count}`);
  if (primary === undefined || primaries.length > 1) {
    return [
      ...problems,
      `${primaries.length} servers are primary: ${primaries.map(({ pod }) => pod).join(", ")}`,
    ];
  }
  const { spec } = await env.run(env.client.of(Service).get(cache));
  const leadsTo = spec?.selector?.[podNameLabel];
  if (leadsTo !== primary.pod)
    problems.push(`the Service leads to ${leadsTo}, the primary is ${primary.pod}`);
  for (const server of servers) {
    if (server !== primary && !(server.isLinked && server.history.id === primary.history.id))
      problems.push(`${server.pod} does not follow ${primary.pod}`);
    const missing = model.admissions.missingIn(server);
    if (missing.length > 0) problems.push(`${server.pod} has lost ${missing.length} acknowledged writes`);
    const { metadata } = await env.run(env.client.of(Pod).get({ ...cache, name: server.pod }));
    const role = metadata.labels?.["redis.github.com/role"];
    const wanted = server === primary ? "primary" : "replica";
    if (role !== wanted) problems.push(`${server.pod} is labelled ${role}, and is ${wanted}`);
  }
  const { status } = await env.run(env.client.of(RedisInstance).get(cache));
  if (status?.status !== "Running" || status.readyReplicas !== `${count}/${count}`)
    problems.push(
      `the status is ${status?.status} ${status?.readyReplicas}: ${status?.lastConditionMessage}`,
    );
  return problems;
}

/** Which of the servers is the primary may be another one in each run, and how often that changed; all else may not. */
function withoutRoles(state: {
  readonly objects: Readonly<Record<string, unknown>>;
  readonly lifetimes: unknown;
}): unknown {
  const objects = Object.fromEntries(
    Object.entries(state.objects)
      .filter(([key]) => !/^(?:EndpointSlice|Endpoints|Pod|ControllerRevision) /u.test(key))
      .map(([key, object]) => [
        key,
        JSON.parse(
          JSON.stringify(object, (name, value: unknown) => (changing.has(name) ? undefined : value)),
        ) as unknown,
      ]),
  );
  return { objects, names: Object.keys(state.objects).filter((key) => !key.startsWith("Endpoint")) };
}

const changing = new Set([
  "replication",
  "servers",
  "usedMemory",
  "keys",
  "primary",
  podNameLabel,
  "redis.github.com/role",
  "lastTransitionTime",
  "managedFields",
  "message",
  "lastConditionMessage",
]);

/** The model of an environment. */
export function modelOf({ programs }: TestEnv): RedisModel {
  if (programs instanceof RedisModel) return programs;
  throw new Error("this environment has no model of Redis");
}

/** The server that the Service leads to. */
export async function primaryOf(env: TestEnv): Promise<ModelProcess | undefined> {
  const { spec } = await env.client.of(Service).get(cache);
  const pod = spec?.selector?.[podNameLabel];
  return pod === undefined ? undefined : modelOf(env).server({ ...cache, name: pod });
}

/** A client that writes five times a second through the Service, and remembers what was acknowledged. */
export function writeAlways(env: TestEnv): Disposable {
  const stopping = new AbortController();
  let number = 0;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await env.clock.sleep(200);
      const primary = await primaryOf(env).catch(() => undefined);
      if (primary === undefined || primary.isPaused || primary.whyNoWrites() !== undefined) continue;
      const key = `write-${number++}`;
      primary.write(key, "1");
      const before = primary;
      // Replication is asynchronous: what was acknowledged is promised once another server has it.
      await env.clock.sleep(20);
      const isCopied = modelOf(env).processes.some((one) => one !== before && one.data.has(key));
      if (before.isAlive && (isCopied || before.followers.size === 0))
        modelOf(env).admissions.acknowledge(key, "1");
    }
  };
  inBackground(run(), (error) => {
    throw error;
  });
  return { [Symbol.dispose]: () => stopping.abort() };
}

function instance(replicas: number, more: object = {}): Step {
  return async (env) => {
    const object = withDefaults(RedisInstance, {
      metadata: cache,
      spec: { image: "redis:7.0", replicas, ...more },
    });
    await env.create(RedisInstance, object);
    const isWhole = ({ status }: RedisInstance): boolean =>
      status?.readyReplicas === `${replicas}/${replicas}`;
    await env.eventually(RedisInstance, cache, isWhole);
    await env.advance("10s");
    // What every server must have in the end.
    const primary = await env.run(primaryOf(env));
    for (const key of ["first", "second", "third"]) {
      primary?.write(key, "1");
      modelOf(env).admissions.acknowledge(key, "1");
    }
    await env.advance("1s");
  };
}

function change(spec: object): Step {
  return (env) => env.run(env.client.of(RedisInstance).patch(cache, { merge: { spec } }));
}

function switchOver(to: string): Step {
  return async (env) => {
    const metadata = { annotations: { [switchoverAnnotation]: to } };
    await env.run(env.client.of(RedisInstance).patch(cache, { merge: { metadata } }));
    await env.advance("20s");
  };
}

async function crashPrimary(env: TestEnv): Promise<void> {
  const primary = await env.run(primaryOf(env));
  env.node.crash(podOf(primary), { exitCode: 137 });
}

async function crashAll(env: TestEnv): Promise<void> {
  for (const server of modelOf(env).processes) env.node.crash(podOf(server), { exitCode: 137 });
  await env.advance(1);
}

async function hangPrimary(env: TestEnv): Promise<void> {
  const primary = await env.run(primaryOf(env));
  if (primary !== undefined) primary.isPaused = true;
}

/** It goes on when another one may just be about to take over. */
async function hangForAWhile(env: TestEnv): Promise<void> {
  const primary = await env.run(primaryOf(env));
  if (primary === undefined) return;
  primary.isPaused = true;
  await env.advance(1900);
  primary.isPaused = false;
}

async function robPrimary(env: TestEnv): Promise<void> {
  const primary = await env.run(primaryOf(env));
  const pod = podOf(primary);
  modelOf(env).loseDisk(pod);
  env.node.crash(pod, { exitCode: 137 });
}

function podOf(server: ModelProcess | undefined): ObjectKey {
  if (server === undefined) throw new Error("the Service leads to no server");
  return { ...cache, name: server.pod };
}
