import { deepEqual, isConditionTrue, isJsonObject, seededRandom, StatusError } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import type { TestEnv } from "@kedge/testkit";
import { fuzzedSpec, type Leaf } from "./spec-leaves.ts";

const namespace = "default";
const at = { namespace, name: "cache" };

/** Makes an instance that nothing is done to, and waits until it runs. */
export async function makeNeighbour(env: TestEnv): Promise<() => Promise<string>> {
  const neighbour = { namespace, name: "neighbour" };
  await make(env, neighbour.name);
  return async () => {
    const { status } = await env.run(env.client.of(RedisInstance).get(neighbour));
    const pod = await env.run(env.client.of(Pod).get({ namespace, name: "neighbour-0" }));
    return `${status?.status} ${pod.metadata.uid} ${pod.status?.containerStatuses?.[0]?.restartCount}`;
  };
}

/** What came of setting fields and setting them back. */
export interface FieldReport {
  /** Set, carried out or refused by name, and set back without a trace. */
  readonly done: readonly string[];
  /** The API server did not take the value, or so it should have: nothing was tried. */
  readonly invalid: readonly string[];
  readonly problems: readonly string[];
}

/** Sets each field, waits, sets it back, and looks whether all is as it was. */
export async function setEachField(env: TestEnv, leaves: readonly Leaf[]): Promise<FieldReport> {
  await make(env, at.name);
  const before = await templateOf(env);
  const done: string[] = [];
  const invalid: string[] = [];
  const problems: string[] = [];
  for (const { path, spec } of leaves) {
    if (!(await patch(env, spec))) {
      invalid.push(path);
      continue;
    }
    await env.advance("10s");
    const seen = await env.run(env.client.of(RedisInstance).get(at));
    if (seen.status?.observedGeneration !== seen.metadata.generation)
      problems.push(`${path}: was not looked at`);
    await patch(env, undone(spec));
    await settle(env);
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    const after = await templateOf(env);
    if (status?.status !== "Running")
      problems.push(`${path}: ${status?.status}: ${status?.lastConditionMessage}`);
    if (!deepEqual(after, before)) problems.push(`${path}: the template is not as it was`);
    done.push(path);
  }
  return { done, invalid, problems };
}

/** What came of specs that nobody has thought of. */
export interface FuzzReport {
  /** How many the server took. */
  readonly taken: number;
  /** Specs that the operator has said nothing about. */
  readonly problems: readonly string[];
}

/** Makes instances of specs that nobody has thought of, changes and deletes them. */
export async function fuzz(
  env: TestEnv,
  leaves: readonly Leaf[],
  count: number,
  seed: number,
): Promise<FuzzReport> {
  const random = seededRandom(seed);
  let taken = 0;
  const problems: string[] = [];
  const look = async (key: typeof at): Promise<void> => {
    const { metadata, spec, status } = await env.run(env.client.of(RedisInstance).get(key));
    if (status?.observedGeneration !== metadata.generation)
      problems.push(`was not looked at: ${JSON.stringify(spec)}`);
  };
  for (let number = 0; number < count; number++) {
    const key = { namespace, name: `fuzz-${number}` };
    const object = { metadata: key, spec: fuzzedSpec(random, leaves) };
    try {
      await env.run(env.client.of(RedisInstance).create(object as never));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      continue;
    }
    taken++;
    await env.advance(5000 + random.int(15_000));
    await look(key);
    try {
      await env.run(env.client.of(RedisInstance).patch(key, { merge: { spec: fuzzedSpec(random, leaves) } }));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
    await env.advance(5000 + random.int(15_000));
    await look(key);
    await env.run(env.client.of(RedisInstance).patch(key, { merge: { spec: { suspend: false } } }));
    await env.run(env.client.of(RedisInstance).delete(key));
    await env.eventuallyGone(RedisInstance, key);
  }
  return { taken, problems };
}

async function make(env: TestEnv, name: string): Promise<void> {
  const object = withDefaults(RedisInstance, { metadata: { namespace, name }, spec: { image: "redis:7.0" } });
  await env.create(RedisInstance, object);
  await env.eventually(RedisInstance, { namespace, name }, ({ status }) => status?.status === "Running");
}

async function settle(env: TestEnv): Promise<void> {
  // Servers that have just been started are given time to answer before a config replaces them.
  const isBack = ({ metadata, status }: RedisInstance): boolean =>
    status?.status === "Running" &&
    status.observedGeneration === metadata.generation &&
    isConditionTrue(status.conditions, "ConfigApplied");
  await env.eventually(RedisInstance, at, isBack).catch(() => undefined);
  await env.advance("5s");
}

async function patch(env: TestEnv, spec: object): Promise<boolean> {
  try {
    await env.run(env.client.of(RedisInstance).patch(at, { merge: { spec } }));
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/** What sets a spec back to the one that was made. */
function undone(spec: Leaf["spec"]): Readonly<Record<string, unknown>> {
  const back: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(spec)) {
    const isPart = ["storage", "auth"].includes(name) && isJsonObject(value);
    const parts = isPart ? Object.keys(value).map((key) => [key, null] as const) : [];
    back[name] = name === "image" ? "redis:7.0" : isPart ? Object.fromEntries(parts) : null;
  }
  return back;
}

/** Without what says how it came to be. */
async function templateOf(env: TestEnv): Promise<StatefulSet["spec"]["template"]> {
  return (await env.run(env.client.of(StatefulSet).get(at))).spec.template;
}
