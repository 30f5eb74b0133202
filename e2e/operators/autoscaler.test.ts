import { findCondition, formatTime, type JsonObject } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { Event, Pod } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";

const namespace = "default";
const web = { namespace, name: "web" };
const labels = { app: "web" };

describe("an autoscaler of a deployment whose pods share some load", () => {
  it("gives it the pods that the load needs, and takes them away when it has been gone for five minutes", async () => {
    await using cluster = await startLoaded();
    const { env } = cluster;
    cluster.load(200);
    await deploy(env);
    await autoscale(env);
    await replicas(env, 1);
    // Each is to have half a core.
    cluster.load(1900);
    await replicas(env, 4);
    cluster.load(200);
    await env.advance("4m");
    expect((await deployment(env)).spec.replicas).toBe(4);
    const { status } = await env.run(env.client.of(HorizontalPodAutoscaler).get(web));
    expect(findCondition(status?.conditions, "AbleToScale")?.reason).toBe("ScaleDownStabilized");
    await replicas(env, 1);
    const { items } = await env.run(env.client.of(Event).list({ namespace }).all());
    expect(items.flatMap(({ reason, message }) => (reason === "SuccessfulRescale" ? message : []))).toEqual([
      "New size: 4; reason: cpu resource utilization (percentage of request) above target",
      "New size: 1; reason: All metrics below target",
    ]);
  });

  it("looks every fifteen seconds, whatever it sees, and writes nothing when nothing changes", async () => {
    await using cluster = await startLoaded();
    const { env } = cluster;
    cluster.load(500);
    await deploy(env);
    await autoscale(env);
    await env.eventually(HorizontalPodAutoscaler, web, ({ status }) => status?.currentMetrics?.length === 1);
    await env.advance("10m");
    const asked = cluster.asked();
    const written = env.trace.length;
    await env.advance("1h");
    // Other writers are the node's: it says that it lives.
    const mine = env.trace.slice(written).filter(({ process }) => process === "controllers");
    expect(mine.filter(({ path }) => path.includes("autoscal") || path.includes("scale"))).toEqual([]);
    expect(cluster.asked() - asked).toBe(240);
  });

  it("goes on after its controller was started anew, and then shrinks nothing for five minutes", async () => {
    await using cluster = await startLoaded();
    const { env } = cluster;
    cluster.load(1900);
    await deploy(env);
    await autoscale(env);
    await replicas(env, 4);
    env.process("controllers").kill();
    cluster.load(200);
    await env.advance("4m");
    expect((await deployment(env)).spec.replicas).toBe(4);
    await replicas(env, 1);
  });
});

/** A cluster whose nodes say what their pods use. */
interface Loaded extends AsyncDisposable {
  readonly env: TestEnv;
  /** Thousandths of a core that all pods share from now on. */
  load(millicores: number): void;
  /** How often somebody asked. */
  asked(): number;
}

async function startLoaded(): Promise<Loaded> {
  let millicores = 0;
  let asked = 0;
  const nodeStats = async (): Promise<JsonObject> => {
    asked++;
    const { items } = await env.client.of(Pod).list({ namespace }).all();
    const running = items.filter(({ status }) => status?.phase === "Running");
    const time = formatTime(env.clock.now());
    const cpu = { time, usageNanoCores: Math.round((millicores * 1e6) / running.length) };
    const memory = { time, workingSetBytes: 1024 };
    const pods = running.map(({ metadata: { name, uid } }) => ({
      podRef: { name, namespace, uid },
      cpu,
      memory,
      containers: [{ name: "main", cpu, memory }],
    }));
    return { node: { cpu, memory }, pods };
  };
  const env = await startTestEnv({ nodeStats });
  return {
    env,
    load: (next) => void (millicores = next),
    asked: () => asked,
    [Symbol.asyncDispose]: () => env[Symbol.asyncDispose](),
  };
}

async function deploy(env: TestEnv): Promise<void> {
  const containers = [{ name: "main", image: "main:1", resources: { requests: { cpu: "1" } } }];
  await env.create(Deployment, {
    metadata: web,
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
}

async function autoscale(env: TestEnv): Promise<void> {
  await env.create(HorizontalPodAutoscaler, {
    metadata: web,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 10,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
    },
  });
}

async function deployment(env: TestEnv): Promise<Deployment> {
  return await env.run(env.client.of(Deployment).get(web));
}

async function replicas(env: TestEnv, count: number): Promise<void> {
  await env.eventually(
    HorizontalPodAutoscaler,
    web,
    ({ status }) => status?.currentReplicas === count && status.currentMetrics?.[0]?.type === "Resource",
  );
}
