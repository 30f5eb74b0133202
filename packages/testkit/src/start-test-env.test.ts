import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Event, Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import type { CrashMoment } from "./faulty-transport.ts";
import { startTestEnv } from "./start-test-env.ts";
import { isUp, Website, websites } from "./testing/website.ts";
import type { TestEnv } from "./types.ts";

const at = { namespace: "default", name: "blog" };
const blog = { metadata: at, spec: { html: "hello", replicas: 2 } };
const operators = [websites];

async function podsOf(env: TestEnv): Promise<Pod[]> {
  return (await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all())).items;
}

async function podNamed(env: TestEnv): Promise<{ namespace: string; name: string }> {
  const [pod] = await podsOf(env);
  return { namespace: at.namespace, name: pod?.metadata.name ?? "" };
}

describe("an operator in a test environment", () => {
  it("brings its object all the way to pods that are ready", async () => {
    await using env = await startTestEnv({ operators });
    await env.create(Website, blog);
    await env.eventually(Website, at, isUp);
    const pods = await podsOf(env);
    expect(pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
    await env.run(env.client.of(Website).delete(at));
    await env.eventuallyGone(Deployment, at);
    await env.untilQuiet();
    expect(await podsOf(env)).toEqual([]);
  });

  it("does the same in every run of a seed, and something else with another", async () => {
    const run = async (seed: number) => {
      await using env = await startTestEnv({ operators, seed });
      await env.create(Website, blog);
      await env.untilQuiet();
      return env.trace.map((write) => ({ ...write }));
    };
    const first = await run(1);
    expect(first.length).toBeGreaterThan(20);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });

  it.each<CrashMoment>(["before", "at", "after"])(
    "comes to the same end when it is killed %s its first write, and starts again",
    async (when) => {
      const endOf = async (crash: boolean) => {
        await using env = await startTestEnv({ operators });
        const operator = env.process("website-operator");
        if (crash) operator.crashAt({ write: 0, when });
        await env.create(Website, blog);
        await env.untilQuiet();
        return { state: await env.state(), lives: operator.lives, writes: operator.writes };
      };
      const undisturbed = await endOf(false);
      const disturbed = await endOf(true);
      expect(disturbed.lives).toBe(2);
      expect(disturbed.state).toEqual(undisturbed.state);
      // What the server has done is not done again.
      expect(disturbed.writes.filter((write) => write === disturbed.writes[0])).toHaveLength(
        when === "before" ? 2 : 1,
      );
    },
  );
});

describe("a pod on the simulated node", () => {
  it("waits for what it mounts", async () => {
    await using env = await startTestEnv();
    const volumes = [{ name: "html", configMap: { name: "pages" } }];
    const spec = { volumes, containers: [{ name: "main", image: "main:1" }] };
    await env.create(Pod, { metadata: at, spec });
    await env.advance("10s");
    const [pod] = await podsOf(env);
    expect(pod?.status?.phase).toBe("Pending");
    await env.create(ConfigMap, { metadata: { ...at, name: "pages" } });
    await env.eventually(Pod, at, ({ status }) => status?.phase === "Running");
    const { items } = await env.run(env.client.of(Event).list({ namespace: at.namespace }).all());
    expect(items.map(({ message }) => message)).toContain(
      'MountVolume.SetUp failed for volume "html" : configmap "pages" not found',
    );
  });

  it("is ready when its probe says so, and restarts when it is told to crash", async () => {
    await using env = await startTestEnv();
    const readinessProbe = { tcpSocket: { port: 80 }, initialDelaySeconds: 20 };
    await env.create(Pod, {
      metadata: at,
      spec: { containers: [{ name: "main", image: "main:1", readinessProbe }] },
    });
    const isReady = (pod: Pod): boolean => pod.status?.containerStatuses?.[0]?.ready === true;
    await env.eventually(Pod, at, isReady);
    expect(env.clock.monotonic()).toBeGreaterThan(20_000);
    env.node.setHealthy(at, false);
    await env.eventually(Pod, at, (pod) => !isReady(pod));
    env.node.setHealthy(at, true);
    env.node.crash(at, { exitCode: 7 });
    const { status } = await env.eventually(Pod, at, (pod) => isReady(pod) && restartsOf(pod) === 1);
    expect(status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(7);
  });

  it("tells of a pod that starts at once with one write", async () => {
    await using env = await startTestEnv();
    // What the volume of a token needs would have to be asked for.
    const spec = { automountServiceAccountToken: false, containers: [{ name: "app", image: "app:1" }] };
    await env.create(Pod, { metadata: at, spec });
    await env.eventually(Pod, at, ({ status }) => status?.phase === "Running");
    await env.untilQuiet();
    const told = env.trace.filter(({ process, path }) => process === "node" && path.endsWith("/blog/status"));
    expect(told).toHaveLength(1);
  });

  it("says that its image cannot be had", async () => {
    await using env = await startTestEnv({ operators });
    env.node.setPullable("nginx:1", false);
    await env.create(Website, blog);
    await env.advance("5s");
    const key = await podNamed(env);
    const { status } = await env.eventually(Pod, key, (pod) => pod.status?.containerStatuses !== undefined);
    expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toMatch(
      /^(?:ErrImagePull|ImagePullBackOff)$/u,
    );
    env.node.setPullable("nginx:1", true);
    await env.eventually(Website, at, isUp);
  });
});

it("a wait in vain fails with the object, the timers, the requests and the last writes", async () => {
  await using env = await startTestEnv({ operators });
  const operator = env.process("website-operator");
  operator.onWrite = (what) => (what.includes("deployments") ? new Promise(() => undefined) : undefined);
  await env.create(Website, blog);
  const vain = env.eventually(Website, at, isUp, { limit: 60_000 });
  const picture = await vain.then(String, (error: Error) => error.message);
  expect(picture).toContain("Website default/blog is not as expected: {");
  expect(picture).toContain("not done within");
  expect(picture).toMatch(/timer due in \d+ ms/u);
  expect(picture).toContain("processes: controllers (life 1), node (life 1), website-operator (life 1)");
  expect(picture).toMatch(/website-operator PATCH \S+\/deployments\/blog\S+ \(\d+ ms\)/u);
  expect(picture).toMatch(/website-operator PATCH \S+\/configmaps\/blog 201/u);
});

function restartsOf({ status }: Pod): number {
  return status?.containerStatuses?.[0]?.restartCount ?? 0;
}
