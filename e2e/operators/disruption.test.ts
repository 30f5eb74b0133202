import { findCondition, formatTime, isTooManyRequests, statusOf } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Event, Pod } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget, type PodDisruptionBudgetSpec } from "@kedge/machinery/kinds/policy/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";

const namespace = "default";
const web = { namespace, name: "web" };
const labels = { app: "web" };
const selector = { matchLabels: labels };

describe("evictions of the pods of a budget", () => {
  it("never leave fewer ready pods than it says, however many are asked for at once", async () => {
    await using env = await startTestEnv();
    await deploy(env, 4);
    await guard(env, { maxUnavailable: 1 });
    const first = await podNames(env);
    let least = 4;
    for (let round = 0; round < 60 && (await podNames(env)).some((name) => first.includes(name)); round++) {
      const left = (await podNames(env)).filter((name) => first.includes(name));
      await env.run(Promise.all(left.map((name) => asked(env, name))));
      for (let seconds = 0; seconds < 5; seconds++) {
        least = Math.min(least, await readyPods(env));
        await env.advance(1_000);
      }
    }
    expect((await podNames(env)).filter((name) => first.includes(name))).toEqual([]);
    expect(least).toBe(3);
  });

  it("are refused with the reason, and allowed when there are more", async () => {
    await using env = await startTestEnv();
    await deploy(env, 2);
    await guard(env, { minAvailable: 2 });
    const [name = ""] = await podNames(env);
    const refusal = await evict(env, name);
    expect(refusal).toBe("The disruption budget web needs 2 healthy pods and has 2 currently");
    await env.run(env.client.of(Deployment).patch(web, { merge: { spec: { replicas: 3 } } }));
    await allowed(env, 1);
    expect(await evict(env, name)).toBeUndefined();
    await env.eventuallyGone(Pod, { namespace, name });
    // What was evicted is made again, and counted.
    const { status } = await allowed(env, 1);
    expect(status).toMatchObject({ currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 });
    expect(status?.disruptedPods).toBeUndefined();
  });

  it("are counted, and the count is forgotten when the pod does not go", async () => {
    await using env = await startTestEnv();
    await deploy(env, 2);
    await guard(env, { minAvailable: 1 });
    const [name = ""] = await podNames(env);
    // The server has counted it, and the pod was never deleted.
    const status = {
      disruptionsAllowed: 0,
      disruptedPods: { [name]: formatTime(env.clock.now()) },
    };
    await env.run(env.client.of(PodDisruptionBudget).status.patch(web, { merge: { status } }));
    await env.advance(60_000);
    expect((await budget(env)).status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    await env.advance(70_000);
    expect((await budget(env)).status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    const { items } = await env.run(env.client.of(Event).list({ namespace }).all());
    expect(items.filter(({ reason }) => reason === "NotDeleted")).toHaveLength(1);
  });
});

it("a pod that was to go and did not is not said to be a target of disruption any more", async () => {
  await using env = await startTestEnv();
  await deploy(env, 1);
  const [name = ""] = await podNames(env);
  const lastTransitionTime = formatTime(env.clock.now());
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    lastTransitionTime,
  };
  await env.run(
    env.client
      .of(Pod)
      .status.patch({ namespace, name }, { strategic: { status: { conditions: [condition] } } }),
  );
  await env.advance(100_000);
  const target = async () =>
    findCondition(
      (await env.run(env.client.of(Pod).get({ namespace, name }))).status?.conditions,
      "DisruptionTarget",
    );
  expect((await target())?.status).toBe("True");
  await env.advance(30_000);
  expect(await target()).toMatchObject({ status: "False" });
});

it("a budget of pods whose owner has no size allows nothing, and says why", async () => {
  await using env = await startTestEnv({ node: false });
  await guard(env, { maxUnavailable: 1 });
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "0000", controller: true };
  const metadata = { namespace, name: "odd", labels, ownerReferences: [owner] };
  await env.run(
    env.client
      .of(Pod)
      .create({ metadata: metadata as never, spec: { containers: [{ name: "main", image: "main:1" }] } }),
  );
  const { status } = await env.eventually(
    PodDisruptionBudget,
    web,
    (one) => findCondition(one.status?.conditions, "DisruptionAllowed")?.reason === "SyncFailed",
  );
  expect(status?.conditions?.[0]?.message).toBe("configmaps does not implement the scale subresource");
});

async function deploy(env: TestEnv, replicas: number): Promise<void> {
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };
  await env.create(Deployment, { metadata: web, spec: { replicas, selector, template } });
  await env.eventually(Deployment, web, ({ status }) => status?.readyReplicas === replicas);
}

async function guard(env: TestEnv, spec: PodDisruptionBudgetSpec): Promise<void> {
  await env.create(PodDisruptionBudget, { metadata: web, spec: { ...spec, selector } });
  await env.eventually(PodDisruptionBudget, web, ({ status }) => status?.observedGeneration === 1);
}

async function budget(env: TestEnv): Promise<PodDisruptionBudget> {
  return await env.run(env.client.of(PodDisruptionBudget).get(web));
}

async function allowed(env: TestEnv, count: number): Promise<PodDisruptionBudget> {
  return await env.eventually(PodDisruptionBudget, web, ({ status }) => status?.disruptionsAllowed === count);
}

/** Why it was refused; undefined when it was not. */
async function evict(env: TestEnv, name: string): Promise<string | undefined> {
  return await env.run(asked(env, name));
}

async function asked(env: TestEnv, name: string): Promise<string | undefined> {
  try {
    await env.client.of(Pod).eviction.create({ namespace, name });
    return undefined;
  } catch (error) {
    if (!isTooManyRequests(error)) throw error;
    return statusOf(error).details?.causes?.[0]?.message;
  }
}

async function pods(env: TestEnv): Promise<readonly Pod[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace }).all());
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function podNames(env: TestEnv): Promise<readonly string[]> {
  return (await pods(env)).map(({ metadata }) => metadata.name);
}

async function readyPods(env: TestEnv): Promise<number> {
  const all = await pods(env);
  return all.filter(({ status }) => findCondition(status?.conditions, "Ready")?.status === "True").length;
}
