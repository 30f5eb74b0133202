import type { Client } from "@kedge/client";
import { findCondition, ifFound, isTooManyRequests, type OwnerReference } from "@kedge/machinery";
import { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget, type PodDisruptionBudgetSpec } from "@kedge/machinery/kinds/policy/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCluster, startBothSides, type BothSides, type Scenario } from "./testing/both-sides.ts";
import { playKubelet, type PlayedKubelet } from "./testing/play-kubelet.ts";
import { until } from "./wait.ts";

let sides: BothSides;
let kubelets: readonly PlayedKubelet[] = [];

beforeAll(async () => {
  sides = await startBothSides({ flags: {}, ours: {} });
  kubelets = await Promise.all(sides.clients.map((client) => playKubelet(client, "node-1")));
});

afterAll(async () => {
  await Promise.all(kubelets.map((kubelet) => kubelet.stop()));
  await sides?.stop();
});

const labels = { app: "web" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };

const scenarios: Readonly<Record<string, Scenario["act"]>> = {
  "a number that must stay, of a deployment": async (client, namespace) => {
    await guard(client, namespace, { minAvailable: 2 });
    await deploy(client, namespace, 3);
    await untilAllowed(client, namespace, 1);
  },
  "a part that may go, of a deployment that grows": async (client, namespace) => {
    await deploy(client, namespace, 3);
    await guard(client, namespace, { maxUnavailable: "50%" });
    await untilAllowed(client, namespace, 2);
    await client.of(Deployment).patch({ namespace, name: "web" }, { merge: { spec: { replicas: 5 } } });
    await untilAllowed(client, namespace, 3);
  },
  "a part that must stay, of a stateful set": async (client, namespace) => {
    const spec = { replicas: 3, serviceName: "db", selector, template };
    await client.of(StatefulSet).create({ metadata: { namespace, name: "db" }, spec });
    await untilReady(client, namespace, "db-2");
    await guard(client, namespace, { minAvailable: "34%" });
    await untilAllowed(client, namespace, 1);
  },
  "a number that may go, of a replica set without a deployment": async (client, namespace) => {
    await client
      .of(ReplicaSet)
      .create({ metadata: { namespace, name: "web" }, spec: { replicas: 2, selector, template } });
    await until("it has pods", async () => {
      const { status } = await client.of(ReplicaSet).get({ namespace, name: "web" });
      return status?.readyReplicas === 2;
    });
    await guard(client, namespace, { maxUnavailable: 1 });
    await untilAllowed(client, namespace, 1);
  },
  "of pods that are not ready": async (client, namespace) => {
    for (const kubelet of kubelets) kubelet.hold(`${namespace}-held`);
    for (const name of [`${namespace}-held`, "ready-1", "ready-2"]) await makePod(client, namespace, name);
    await guard(client, namespace, { minAvailable: 1 });
    await untilAllowed(client, namespace, 1);
  },
  "of no pods": async (client, namespace) => {
    await guard(client, namespace, { minAvailable: 1 });
    await untilCounted(client, namespace);
  },
  "without a limit": async (client, namespace) => {
    await makePod(client, namespace, "alone");
    await guard(client, namespace, {});
    await untilCounted(client, namespace);
  },
  "a part of pods that nobody controls": async (client, namespace) => {
    await makePod(client, namespace, "alone");
    await guard(client, namespace, { maxUnavailable: 1 });
    await untilCounted(client, namespace);
  },
  "a part of pods whose owner has no size": async (client, namespace) => {
    const map = await client.of(ConfigMap).create({ metadata: { namespace, name: "owner" }, data: {} });
    await guard(client, namespace, { maxUnavailable: 1 });
    await untilCounted(client, namespace);
    await makePod(client, namespace, "owned", ownedBy("v1", "ConfigMap", map.metadata));
    await untilFailed(client, namespace);
  },
  "a part of pods whose owner is of no kind": async (client, namespace) => {
    const map = await client.of(ConfigMap).create({ metadata: { namespace, name: "owner" }, data: {} });
    await guard(client, namespace, { minAvailable: "50%" });
    await untilCounted(client, namespace);
    await makePod(client, namespace, "owned", ownedBy("example.com/v1", "Nothing", map.metadata));
    await untilFailed(client, namespace);
  },
  "an eviction that is refused, and one that is allowed": async (client, namespace) => {
    await deploy(client, namespace, 2);
    await guard(client, namespace, { minAvailable: 2 });
    await untilCounted(client, namespace);
    const { items } = await client.of(Pod).list({ namespace }).all();
    const [{ metadata: first } = { metadata: { namespace, name: "" } }] = items;
    await expect(client.of(Pod).eviction.create(first)).rejects.toSatisfy(isTooManyRequests);
    await client.of(Deployment).patch({ namespace, name: "web" }, { merge: { spec: { replicas: 3 } } });
    await untilAllowed(client, namespace, 1);
    await client.of(Pod).eviction.create(first);
    await until("it is gone", async () => (await ifFound(client.of(Pod).get(first))) === undefined);
    await untilAllowed(client, namespace, 1);
  },
  "a claim and a volume stay while they are used": async (client, namespace) => {
    const name = `${namespace}-volume`;
    const accessModes = ["ReadWriteOnce"];
    await client.of(PersistentVolume).create({
      metadata: { name },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes,
        storageClassName: namespace,
        hostPath: { path: "/tmp" },
      },
    });
    const resources = { requests: { storage: "1Gi" } };
    const claim = { namespace, name: "data" };
    await client.of(PersistentVolumeClaim).create({
      metadata: claim,
      spec: { accessModes, resources, storageClassName: namespace },
    });
    await until("it is bound", async () => {
      const { status } = await client.of(PersistentVolumeClaim).get(claim);
      return status?.phase === "Bound";
    });
    await makePod(client, namespace, "user", undefined, "data");
    await untilReady(client, namespace, "user");
    await client.of(PersistentVolumeClaim).delete(claim);
    await client.of(PersistentVolume).delete({ name });
  },
};

const kinds = [
  PodDisruptionBudget,
  Deployment,
  ReplicaSet,
  StatefulSet,
  ControllerRevision,
  Pod,
  PersistentVolumeClaim,
];

it.each(Object.entries(scenarios).map(([title, act], i) => ({ title, act, namespace: `s${i + 1}` })))(
  "$title",
  async ({ act, namespace }) => {
    const others = async (client: Client) => {
      const volumes = await readCluster(client, PersistentVolume);
      const maps = await readCluster(client, ConfigMap);
      const owners = maps.filter(
        ({ metadata }) => metadata.name === "owner" && metadata.namespace === namespace,
      );
      const own = volumes.filter(({ metadata }) => metadata.name.startsWith(`${namespace}-`));
      return [...own, ...owners];
    };
    const { differences } = await sides.compare(namespace, { act, kinds, others });
    expect(differences).toBe("");
  },
);

async function guard(client: Client, namespace: string, spec: PodDisruptionBudgetSpec): Promise<void> {
  await client
    .of(PodDisruptionBudget)
    .create({ metadata: { namespace, name: "web" }, spec: { ...spec, selector } });
}

async function deploy(client: Client, namespace: string, replicas: number): Promise<void> {
  const spec = { replicas, selector, template };
  await client.of(Deployment).create({ metadata: { namespace, name: "web" }, spec });
  await until("the deployment is ready", async () => {
    const { status } = await client.of(Deployment).get({ namespace, name: "web" });
    return status?.readyReplicas === replicas;
  });
}

async function makePod(
  client: Client,
  namespace: string,
  name: string,
  owner?: OwnerReference,
  claimName?: string,
): Promise<void> {
  const volumes = claimName === undefined ? [] : [{ name: "data", persistentVolumeClaim: { claimName } }];
  await client.of(Pod).create({
    metadata: { namespace, name, labels, ...(owner !== undefined && { ownerReferences: [owner] }) },
    spec: { ...template.spec, volumes },
  });
}

function ownedBy(
  apiVersion: string,
  kind: string,
  { name, uid }: Pick<Pod["metadata"], "name" | "uid">,
): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true };
}

async function untilReady(client: Client, namespace: string, name: string): Promise<void> {
  await until(`${name} is ready`, async () => {
    const pod = await ifFound(client.of(Pod).get({ namespace, name }));
    return findCondition(pod?.status?.conditions, "Ready")?.status === "True";
  });
}

async function untilBudget(
  client: Client,
  namespace: string,
  what: string,
  isSo: (status: NonNullable<PodDisruptionBudget["status"]>) => boolean,
): Promise<void> {
  await until(what, async () => {
    const { metadata, status } = await client.of(PodDisruptionBudget).get({ namespace, name: "web" });
    return status !== undefined && status.observedGeneration === metadata.generation && isSo(status);
  });
}

async function untilCounted(client: Client, namespace: string): Promise<void> {
  await untilBudget(client, namespace, "the budget is counted", () => true);
}

async function untilAllowed(client: Client, namespace: string, count: number): Promise<void> {
  const what = `${count} may go`;
  await untilBudget(client, namespace, what, (status) => status.disruptionsAllowed === count);
}

async function untilFailed(client: Client, namespace: string): Promise<void> {
  await untilBudget(
    client,
    namespace,
    "the budget cannot be counted",
    ({ conditions }) => findCondition(conditions, "DisruptionAllowed")?.reason === "SyncFailed",
  );
}
