import type { Client } from "@kedge/client";
import { findCondition, ifFound, realClock } from "@kedge/machinery";
import { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Event, Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCluster, startBothSides, type BothSides, type Scenario } from "./testing/both-sides.ts";
import { beat, say, type Heartbeat } from "./testing/heartbeat.ts";
import type { RawObject } from "./testing/mask-objects.ts";
import { playKubelet, type PlayedKubelet } from "./testing/play-kubelet.ts";
import { until } from "./wait.ts";

/**
 * Each scenario has nodes of its own, in a zone of its own: `<namespace>-a`. A node in another zone is always there, so
 * that never all zones are disrupted, but in the last one.
 */
let sides: BothSides;
const parts: { readonly client: Client; readonly node: string; readonly part: Heartbeat | PlayedKubelet }[] =
  [];

beforeAll(async () => {
  sides = await startBothSides({
    flags: {
      "node-monitor-period": "500ms",
      "node-monitor-grace-period": "4s",
      "node-startup-grace-period": "4s",
      "terminated-pod-gc-threshold": "2",
    },
    ours: {
      nodeLifecycle: { monitorPeriod: 500, monitorGracePeriod: 4_000, startupGracePeriod: 4_000 },
      podGc: { terminatedThreshold: 2 },
    },
  });
  for (const client of sides.clients) await startNode(client, "always");
});

afterAll(async () => {
  await Promise.all(parts.map(({ part }) => part.stop()));
  await sides?.stop();
});

const workloads = [Deployment, ReplicaSet, StatefulSet, ControllerRevision, Pod];

const scenarios: Readonly<Record<string, Pick<Scenario, "act">>> = {
  "a new node may take pods when it is ready": {
    act: async (client, namespace) => {
      await startNode(client, `${namespace}-a`);
      await untilTaints(client, `${namespace}-a`, []);
    },
  },
  "old names of labels follow the new ones": {
    act: async (client, namespace) => {
      const labels = {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "arm64",
        "beta.kubernetes.io/arch": "x",
      };
      await startNode(client, `${namespace}-a`, labels);
    },
  },
  "a node that is short of something is tainted": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      await startNode(client, name);
      for (const type of ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"]) {
        await say(client, name, type, "True");
        // Those that come together have no order.
        await until("it is tainted", async () => (await taintsOf(client, name)).length > 0);
      }
      await untilTaints(
        client,
        name,
        ["disk-pressure", "memory-pressure", "network-unavailable", "pid-pressure"].map(
          (key) => `${key}:NoSchedule`,
        ),
      );
      await say(client, name, "DiskPressure", "False");
    },
  },
  "a node that is cordoned, and is not any more": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      await startNode(client, name);
      await client.of(Node).patch({ name }, { merge: { spec: { unschedulable: true } } });
      await untilTaints(client, name, ["unschedulable:NoSchedule"]);
      await client.of(Node).patch({ name }, { merge: { spec: { unschedulable: null } } });
      await untilTaints(client, name, []);
    },
  },
  "a node that says that it is not ready": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      await startNode(client, name);
      await makePod(client, namespace, { name: "stays", nodeName: name, tolerationSeconds: 600 });
      await untilReady(client, namespace, "stays");
      await say(client, name, "Ready", "False");
      await untilTaints(client, name, ["not-ready:NoExecute", "not-ready:NoSchedule"]);
    },
  },
  "a node that is not ready and then silent": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      const { heart } = await startNode(client, name);
      await say(client, name, "Ready", "False");
      await untilTaints(client, name, ["not-ready:NoExecute", "not-ready:NoSchedule"]);
      await heart.stop();
      await untilTaints(client, name, ["unreachable:NoExecute", "unreachable:NoSchedule"]);
    },
  },
  "a node that is silent: its conditions, and its pods that stay": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      const { heart, kubelet } = await startNode(client, name);
      await makePod(client, namespace, { name: "stays", nodeName: name, tolerationSeconds: 600 });
      await untilReady(client, namespace, "stays");
      await kubelet.stop();
      await heart.stop();
      await untilTaints(client, name, ["unreachable:NoExecute", "unreachable:NoSchedule"]);
    },
  },
  "a silent node that comes back": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      const { heart } = await startNode(client, name);
      await heart.stop();
      await untilTaints(client, name, ["unreachable:NoExecute", "unreachable:NoSchedule"]);
      parts.push({ client, node: name, part: await beat(client, name) });
      for (const type of ["MemoryPressure", "DiskPressure", "PIDPressure"])
        await say(client, name, type, "False");
      await say(client, name, "Ready", "True");
      await untilTaints(client, name, []);
    },
  },
  "a node that never says anything": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      await client.of(Node).create({ metadata: { name, labels: zone(name) }, spec: {} });
      await untilTaints(client, name, ["unreachable:NoExecute", "unreachable:NoSchedule"]);
    },
  },
  "pods of a silent node are elsewhere after their time": {
    act: async (client, namespace) => {
      const [first, second] = [`${namespace}-a`, `${namespace}-b`];
      const { heart, kubelet } = await startNode(client, first, { scenario: namespace });
      await deploy(client, namespace, 2);
      await kubelet.stop();
      await startNode(client, second, { scenario: namespace });
      await heart.stop();
      await until("its pods are elsewhere", async () => {
        const { status } = await client.of(Deployment).get({ namespace, name: "web" });
        return status?.readyReplicas === 2 && status.terminatingReplicas === 2;
      });
    },
  },
  "a pod of a stateful set stays on a silent node": {
    act: async (client, namespace) => {
      const [first, second] = [`${namespace}-a`, `${namespace}-b`];
      const { heart, kubelet } = await startNode(client, first, { scenario: namespace });
      const spec = { serviceName: "db", replicas: 1, ...podsOf(namespace) };
      await client.of(StatefulSet).create({ metadata: { namespace, name: "db" }, spec });
      await untilReady(client, namespace, "db-0");
      await kubelet.stop();
      await startNode(client, second, { scenario: namespace });
      await heart.stop();
      await until("it is told to go", async () => {
        const { metadata } = await client.of(Pod).get({ namespace, name: "db-0" });
        return metadata.deletionTimestamp !== undefined;
      });
    },
  },
  "a pod of a node that is out of service is made again": {
    act: async (client, namespace) => {
      const [first, second] = [`${namespace}-a`, `${namespace}-b`];
      const { heart, kubelet } = await startNode(client, first, { scenario: namespace });
      const spec = { serviceName: "db", replicas: 1, ...podsOf(namespace, 600) };
      await client.of(StatefulSet).create({ metadata: { namespace, name: "db" }, spec });
      await untilReady(client, namespace, "db-0");
      await kubelet.stop();
      await startNode(client, second, { scenario: namespace });
      await heart.stop();
      await untilTaints(client, first, ["unreachable:NoExecute", "unreachable:NoSchedule"]);
      const { spec: now } = await client.of(Node).get({ name: first });
      const taints = [
        ...(now.taints ?? []),
        { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" },
      ];
      await client.of(Node).patch({ name: first }, { merge: { spec: { taints } } });
      await until("it is elsewhere", async () => {
        const pod = await ifFound(client.of(Pod).get({ namespace, name: "db-0" }));
        return pod?.spec.nodeName === second && isReady(pod);
      });
    },
  },
  "pods without a node, of a node that is gone, and ended ones beyond the threshold are removed": {
    act: async (client, namespace) => {
      const name = `${namespace}-a`;
      const finalizers = ["example.com/hold"];
      await startNode(client, name);
      await makePod(client, namespace, {
        name: "orphan",
        nodeName: name,
        tolerationSeconds: 600,
        finalizers,
      });
      await makePod(client, namespace, { name: "homeless", tolerationSeconds: 600, finalizers });
      for (const ended of ["ended-1", "ended-2", "ended-3", "ended-4"]) {
        await makePod(client, namespace, { name: ended, nodeName: "nowhere", tolerationSeconds: 600 });
        await client
          .of(Pod)
          .status.patch({ namespace, name: ended }, { merge: { status: { phase: "Succeeded" } } });
        // They are removed in the order of their seconds.
        await realClock.sleep(1_100);
      }
      await untilReady(client, namespace, "orphan");
      await client.of(Pod).delete({ namespace, name: "homeless" });
      await client.of(Node).delete({ name });
      for (const pod of ["orphan", "homeless"]) {
        await until(`${pod} has failed`, async () => {
          const { status } = await client.of(Pod).get({ namespace, name: pod });
          return status?.phase === "Failed";
        });
      }
      await until("ended pods are gone", async () => {
        const { items } = await client.of(Pod).list({ namespace }).all();
        return items.length === 2;
      });
    },
  },
};

it.each(Object.entries(scenarios).map(([title, { act }], i) => ({ title, namespace: `s${i + 1}`, act })))(
  "$title",
  async ({ namespace, act }) => {
    const others = (client: Client) => nodesAndEvents(client, `${namespace}-`);
    const { differences } = await sides.compare(namespace, { act, kinds: workloads, others });
    expect(differences).toBe("");
  },
);

it("when no node at all is ready, none is given up", async () => {
  const isGivenUp = async (client: Client): Promise<readonly boolean[]> => {
    const { items } = await client.of(Node).list().all();
    const others = items.filter(({ metadata }) => metadata.name !== "always");
    return others.map(({ spec }) =>
      (spec.taints ?? []).some(({ key, effect }) => key.endsWith("/unreachable") && effect === "NoExecute"),
    );
  };
  const silence = async (client: Client, isSilent: (node: string) => boolean): Promise<void> => {
    const some = parts.filter((each) => each.client === client && isSilent(each.node));
    await Promise.all(some.map(({ part }) => part.stop()));
  };
  const act = async (client: Client): Promise<void> => {
    await silence(client, (node) => node !== "always");
    await until("all but one are given up", async () => !(await isGivenUp(client)).includes(false));
    // Whether this one still gets the taint is a race in the original.
    await silence(client, (node) => node === "always");
    await until("none is given up any more", async () => !(await isGivenUp(client)).includes(true));
  };
  const others = (client: Client) => nodesAndEvents(client, "s");
  const { differences } = await sides.compare("last", { act, kinds: workloads, others });
  expect(differences).toBe("");
});

async function startNode(
  client: Client,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<{ readonly heart: Heartbeat; readonly kubelet: PlayedKubelet }> {
  const kubelet = await playKubelet(client, name, { labels: { ...zone(name), ...labels } });
  const heart = await beat(client, name);
  parts.push(...[heart, kubelet].map((part) => ({ client, node: name, part })));
  return { heart, kubelet };
}

function zone(node: string): Readonly<Record<string, string>> {
  return { "topology.kubernetes.io/zone": node };
}

interface PodSetup {
  readonly name: string;
  readonly nodeName?: string;
  readonly tolerationSeconds: number;
  readonly finalizers?: string[];
}

function tolerate(tolerationSeconds: number) {
  return ["not-ready", "unreachable"].map((taint) => ({
    key: `node.kubernetes.io/${taint}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds,
  }));
}

async function makePod(client: Client, namespace: string, setup: PodSetup): Promise<void> {
  const { name, nodeName, tolerationSeconds, finalizers } = setup;
  await client.of(Pod).create({
    metadata: { namespace, name, ...(finalizers !== undefined && { finalizers }) },
    spec: {
      containers: [{ name: "main", image: "main:1" }],
      tolerations: tolerate(tolerationSeconds),
      ...(nodeName === undefined ? { nodeSelector: { nowhere: "yes" } } : { nodeName }),
    },
  });
}

function podsOf(scenario: string, tolerationSeconds = 1) {
  const labels = { app: "web" };
  return {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [{ name: "main", image: "main:1" }],
        nodeSelector: { scenario },
        tolerations: tolerate(tolerationSeconds),
      },
    },
  };
}

async function deploy(client: Client, namespace: string, replicas: number): Promise<void> {
  const spec = { replicas, ...podsOf(namespace) };
  await client.of(Deployment).create({ metadata: { namespace, name: "web" }, spec });
  await until("the deployment is ready", async () => {
    const { status } = await client.of(Deployment).get({ namespace, name: "web" });
    return status?.readyReplicas === replicas;
  });
}

async function untilReady(client: Client, namespace: string, name: string): Promise<void> {
  await until(`${name} is ready`, async () => {
    const pod = await ifFound(client.of(Pod).get({ namespace, name }));
    return pod !== undefined && isReady(pod);
  });
}

function isReady({ status }: Pod): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "True";
}

async function untilTaints(client: Client, name: string, taints: readonly string[]): Promise<void> {
  await until(`${name} has the taints [${taints.join(", ")}]`, async () => {
    return (await taintsOf(client, name)).toSorted().join() === taints.toSorted().join();
  });
}

async function taintsOf(client: Client, name: string): Promise<readonly string[]> {
  const { spec } = await client.of(Node).get({ name });
  return (spec.taints ?? []).map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`);
}

/** The nodes of a scenario, without what other controllers of Kubernetes give them, and what was said of them. */
async function nodesAndEvents(client: Client, prefix: string): Promise<readonly RawObject[]> {
  const nodes = (await readCluster(client, Node)).filter(({ metadata }) => metadata.name.startsWith(prefix));
  const { items } = await client.of(Event).list({ namespace: "default" }).all();
  const told = items
    .filter(({ involvedObject: { kind, name = "" } }) => kind === Node.kind && name.startsWith(prefix))
    .filter(({ reportingComponent }) => reportingComponent === "node-controller")
    .map(({ metadata, involvedObject, reason, type, message, reportingComponent }) => ({
      kind: Event.kind,
      metadata: { name: `${reason ?? ""} of ${involvedObject.name ?? ""}`, uid: metadata.uid },
      type,
      message,
      reportingComponent,
    }));
  return [...nodes.map(withoutOthers), ...told];
}

/** Which pods a node may have addresses for, and how long agents may cache: other controllers say it. The order of taints is that of time. */
function withoutOthers(node: RawObject): RawObject {
  const { annotations: _, ...metadata } = node.metadata;
  const { podCIDR: _one, podCIDRs: _all, taints = [], ...spec } = node["spec"] as NonNullable<Node["spec"]>;
  const sorted = taints.toSorted((one, other) => (one.key + one.effect < other.key + other.effect ? -1 : 1));
  return { ...node, metadata, spec: { ...spec, taints: sorted } };
}
