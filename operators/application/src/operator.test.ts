import { isConditionTrue } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { Application } from "./kind.ts";
import { applicationLabel } from "./names.ts";
import { applicationOperator } from "./operator.ts";

const key = { namespace: "default", name: "web" };
const at = { namespace: "default", name: "web-data" };
const isReady = ({ status }: Application): boolean => isConditionTrue(status?.conditions, "Ready");
type Spec = Partial<Parameters<typeof withDefaults<typeof Application.definition>>[1]["spec"]>;

async function create(env: TestEnv, more: Spec): Promise<void> {
  const { spec } = withDefaults(Application, {
    metadata: { name: "web" },
    spec: { image: "web:1", ...more },
  });
  await env.create(Application, { metadata: key, spec });
}

const deploymentOf = (env: TestEnv): Promise<Deployment> => env.run(env.client.of(Deployment).get(key));
const withClaim = { storage: { persistentVolumeClaims: [{ name: "data", size: "1Gi" }] } };

it("leaves the number of replicas to the autoscaler, also when the Deployment has lost its label", async () => {
  await using env = await startTestEnv({ operators: [applicationOperator] });
  await create(env, { replicas: 2, scaling: { minReplicas: 1, maxReplicas: 5 } });
  await env.eventually(Application, key, isReady);
  await env.untilQuiet();
  const before = await deploymentOf(env);
  const merge = { metadata: { labels: { [applicationLabel]: null } }, spec: { replicas: 4 } };
  await env.run(env.client.of(Deployment).patch(key, { merge }));
  await env.untilQuiet();
  const { metadata, spec } = await deploymentOf(env);
  expect([metadata.uid, metadata.labels]).toEqual([before.metadata.uid, before.metadata.labels]);
  expect(spec?.replicas).toBe(4);
});

it("is refused when it should have more pods at least than at most", async () => {
  await using env = await startTestEnv({ operators: [applicationOperator] });
  await expect(create(env, { scaling: { minReplicas: 5, maxReplicas: 4 } })).rejects.toThrow(
    "spec.scaling.maxReplicas: Invalid value: must not be less than minReplicas: 4 < 5",
  );
});

it("finds what it made in an earlier life, and writes nothing", async () => {
  await using env = await startTestEnv({ operators: [applicationOperator] });
  await create(env, withClaim);
  await env.eventually(Application, key, isReady);
  await env.untilQuiet();
  const operator = env.process("application");
  const before = operator.writes;
  operator.kill();
  await env.advance("10m");
  expect([operator.lives, operator.writes]).toEqual([2, before]);
});

it("takes a claim that consents as it is, and refuses what it cannot be", async () => {
  await using env = await startTestEnv({ operators: [applicationOperator] });
  const annotations = { "kedge.dev/adopt-by": "Application/web" };
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } };
  await env.create(PersistentVolumeClaim, { metadata: { ...at, annotations }, spec });
  await create(env, withClaim);
  const { status } = await env.eventually(Application, key, (found) => found.status?.phase === "Running");
  const refused = status?.conditions?.find(({ type }) => type === "SpecAccepted");
  expect(refused).toMatchObject({ status: "False", message: expect.stringContaining("2Gi") as string });
  const claim = await env.run(env.client.of(PersistentVolumeClaim).get(at));
  expect(claim.spec.resources).toEqual(spec.resources);
  expect(claim.metadata.labels?.[applicationLabel]).toBe("web");
});

it.each([
  ["Retain", true],
  ["Delete", false],
] as const)("is let go when its clean-up is done; the claim with %s: %j", async (deletionPolicy, isKept) => {
  await using env = await startTestEnv({ operators: [applicationOperator] });
  await create(env, { ...withClaim, deletionPolicy });
  await env.eventually(Application, key, isReady);
  await env.run(env.client.of(Application).delete(key));
  await env.eventuallyGone(Deployment, key);
  await env.untilQuiet();
  const { items } = await env.run(env.client.of(PersistentVolumeClaim).list({ namespace: "default" }).all());
  expect(items).toHaveLength(isKept ? 1 : 0);
});
