import { readdir } from "node:fs/promises";
import {
  controllerOf,
  isConflict,
  isNotFound,
  type DeepReadonly,
  type Kind,
  type KubeObject,
} from "@kedge/machinery";
import { Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import {
  ConfigMap,
  Event,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startOracle, type Oracle } from "./oracle.ts";
import { playKubelet, type PlayedKubelet } from "./testing/play-kubelet.ts";
import { runControllers, type RunningControllers } from "./testing/run-controllers.ts";
import { until } from "./wait.ts";

/** Our controllers and our scheduler, alone on a real kube-apiserver: nobody else makes, places or collects anything. */
const authority = "-----BEGIN CERTIFICATE-----\nnot a real one\n-----END CERTIFICATE-----\n";
let oracle: Oracle;
let controllers: RunningControllers;
let kubelet: PlayedKubelet;
let volumeFolder: string;
let namespace: string;
let count = 0;

const at = (name: string): { namespace: string; name: string } => ({ namespace, name });

beforeAll(async () => {
  volumeFolder = await mkdtemp(join(tmpdir(), "kedge-volumes-"));
  oracle = await startOracle();
  controllers = await runControllers({ config: oracle.adminConfig, authority, volumeFolder });
  kubelet = await playKubelet(oracle.admin, "node-1");
  await oracle.admin.of(StorageClass).create({
    metadata: { name: "standard" },
    provisioner: "kedge.dev/local-path",
    volumeBindingMode: "WaitForFirstConsumer",
  });
});

afterAll(async () => {
  await controllers?.stop();
  await kubelet?.stop();
  await oracle?.stop();
  await rm(volumeFolder, { recursive: true, force: true });
});

beforeEach(async () => {
  namespace = `t${++count}`;
  await oracle.admin.of(Namespace).create({ metadata: { name: namespace }, spec: {} });
  await until("the namespace has its service account", () =>
    there(oracle.admin.of(ServiceAccount).get(at("default"))),
  );
});

const labels = { app: "web" };
const template = (image = "web:1") => ({
  metadata: { labels },
  spec: { containers: [{ name: "web", image, ports: [{ name: "http", containerPort: 8080 }] }] },
});

describe("a namespace", () => {
  it("gets the service account default and the cluster's authority, and gets them back", async () => {
    const root = at("kube-root-ca.crt");
    await until("the authority is there", () => there(oracle.admin.of(ConfigMap).get(root)));
    expect((await oracle.admin.of(ConfigMap).get(root)).data).toEqual({ "ca.crt": authority });
    const { metadata } = await oracle.admin.of(ServiceAccount).get(at("default"));
    await oracle.admin.of(ServiceAccount).delete(at("default"));
    await until("another service account is there", async () => {
      const found = await unlessGone(oracle.admin.of(ServiceAccount).get(at("default")));
      return found !== undefined && found.metadata.uid !== metadata.uid;
    });
    await oracle.admin.of(ConfigMap).patch(root, { merge: { data: { "ca.crt": "other" } } });
    await until(
      "the authority is put right",
      async () => (await oracle.admin.of(ConfigMap).get(root)).data?.["ca.crt"] === authority,
    );
  });

  it("is emptied when it is deleted, pods first, and ends", async () => {
    await oracle.admin.of(Secret).create({ metadata: at("a"), stringData: { x: "1" } });
    await oracle.admin.of(Deployment).create(deployment("web", 2));
    await untilAvailable("web", 2);
    await oracle.admin
      .of(ConfigMap)
      .create({ metadata: { ...at("held"), finalizers: ["example.com/held"] } });
    await oracle.admin.of(Namespace).delete({ name: namespace });
    await until("it says what it waits for", async () => {
      const { status } = await oracle.admin.of(Namespace).get({ name: namespace });
      return (status?.conditions ?? []).some(
        ({ type, message }) =>
          type === "NamespaceFinalizersRemaining" && message?.includes("example.com/held in 1 resource"),
      );
    });
    expect((await oracle.admin.of(Secret).list({ namespace }).all()).items).toEqual([]);
    await oracle.admin.of(ConfigMap).patch(at("held"), { merge: { metadata: { finalizers: null } } });
    await untilGone(Namespace, { name: namespace });
  });
});

describe("a deployment", () => {
  it("gets a replica set with pods, rolls to another template within its limits, and grows", async () => {
    await oracle.admin.of(Deployment).create(deployment("web", 3));
    await untilAvailable("web", 3);
    const [first] = await replicaSets("web");
    expect(first?.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/u);
    const pods = (await oracle.admin.of(Pod).list({ namespace }).all()).items;
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      expect(controllerOf(pod)).toMatchObject({ kind: "ReplicaSet", name: first?.metadata.name });
      expect(pod.metadata.name).toMatch(new RegExp(`^${first?.metadata.name}-[a-z0-9]{5}$`, "u"));
      expect(pod.spec.nodeName).toBe("node-1");
    }

    const seen = await watchWhile(() =>
      oracle.admin.of(Deployment).patch(at("web"), { merge: { spec: { template: template("web:2") } } }),
    );
    expect(Math.max(...seen)).toBeLessThanOrEqual(4);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(3);
    const [older, newer] = await replicaSets("web");
    expect([older, newer].map((set) => set?.spec.replicas)).toEqual([0, 3]);
    const { metadata, status } = await oracle.admin.of(Deployment).get(at("web"));
    expect(metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
    expect(conditionsOf(status)).toEqual({
      Available: "True MinimumReplicasAvailable",
      Progressing: "True NewReplicaSetAvailable",
    });

    await oracle.admin.of(Deployment).patch(at("web"), { merge: { spec: { replicas: 5 } } });
    await untilAvailable("web", 5);
    await oracle.admin.of(Deployment).patch(at("web"), { merge: { spec: { replicas: 1 } } });
    await untilAvailable("web", 1);

    // Back to the first template: its replica set is used again, under a new number.
    await oracle.admin.of(Deployment).patch(at("web"), { merge: { spec: { template: template("web:1") } } });
    await untilAvailable("web", 1);
    const again = (await replicaSets("web")).at(-1);
    expect(again?.metadata.name).toBe(first?.metadata.name);
    expect(again?.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
  });

  it("adopts what fits its selector and releases what does not any more", async () => {
    const kept = await oracle.admin.of(Pod).create({
      metadata: { ...at("loose"), labels },
      spec: template().spec,
    });
    const set = await oracle.admin.of(ReplicaSet).create({
      metadata: at("web"),
      spec: { replicas: 2, selector: { matchLabels: labels }, template: template() },
    });
    await until("the loose pod is one of two", async () => {
      const pods = await ownedPods(set.metadata.uid);
      return pods.length === 2 && pods.some(({ metadata }) => metadata.uid === kept.metadata.uid);
    });
    await oracle.admin.of(Pod).patch(at("loose"), { merge: { metadata: { labels: { app: "other" } } } });
    await until("another takes its place", async () => {
      const pods = await ownedPods(set.metadata.uid);
      return pods.length === 2 && pods.every(({ metadata }) => metadata.uid !== kept.metadata.uid);
    });
    expect(controllerOf(await oracle.admin.of(Pod).get(at("loose")))).toBeUndefined();
  });

  it("says in the replica set and in the deployment why pods are refused", async () => {
    const refused = deployment("web", 1);
    await oracle.admin.of(Deployment).create({
      ...refused,
      spec: {
        ...refused.spec,
        template: { ...template(), spec: { ...template().spec, serviceAccountName: "nobody" } },
      },
    });
    await until("the failure is told", async () => {
      const { status } = await oracle.admin.of(Deployment).get(at("web"));
      return conditionsOf(status)["ReplicaFailure"] === "True FailedCreate";
    });
    await oracle.admin.of(ServiceAccount).create({ metadata: at("nobody") });
    await untilAvailable("web", 1);
    expect(conditionsOf((await oracle.admin.of(Deployment).get(at("web"))).status)).not.toHaveProperty(
      "ReplicaFailure",
    );
  });
});

describe("a stateful set", () => {
  it("makes its pods in order with claims, keeps a place's claim, and updates from the last down", async () => {
    const name = "db";
    kubelet.hold("db-1");
    await oracle.admin.of(Service).create(service(name, { clusterIP: "None" }));
    await oracle.admin.of(StatefulSet).create(statefulSet(name, 3));
    await until("the second pod runs", () =>
      Promise.resolve(kubelet.log.includes(`started ${namespace}/db-1`)),
    );
    // The third waits for the second.
    expect(await names(Pod)).toEqual(["db-0", "db-1"]);
    kubelet.release("db-1");
    await untilSetReady(name, 3);
    expect(kubelet.log.filter((line) => line.includes(` ${namespace}/`))).toEqual(
      ["db-0", "db-1", "db-2"].map((pod) => `started ${namespace}/${pod}`),
    );
    const claims = (await oracle.admin.of(PersistentVolumeClaim).list({ namespace }).all()).items;
    expect(claims.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual(
      ["db-0", "db-1", "db-2"].map((pod) => [`data-${pod}`, "Bound"]),
    );
    const folders = claims.map(({ metadata }) => `pvc-${metadata.uid}_${namespace}_${metadata.name}`);
    expect(
      (await readdir(volumeFolder)).filter((folder) => folder.includes(`_${namespace}_`)).toSorted(),
    ).toEqual(folders.toSorted());

    const before = await oracle.admin.of(Pod).get(at("db-1"));
    const [slice] = (await oracle.admin.of(EndpointSlice).list({ namespace }).all()).items;
    expect(slice?.endpoints?.map(({ hostname }) => hostname)).toEqual(["db-0", "db-1", "db-2"]);
    await oracle.admin.of(Pod).delete(at("db-1"));
    await until("another pod is at its place", async () => {
      const pod = await unlessGone(oracle.admin.of(Pod).get(at("db-1")));
      return pod !== undefined && pod.metadata.uid !== before.metadata.uid;
    });
    await untilSetReady(name, 3);
    const after = await oracle.admin.of(Pod).get(at("db-1"));
    expect(after.spec.volumes?.[0]).toEqual(before.spec.volumes?.[0]);
    expect(after.metadata.labels).toEqual(before.metadata.labels);

    const mark = kubelet.log.length;
    await oracle.admin.of(StatefulSet).patch(at(name), { merge: { spec: { template: template("web:2") } } });
    await until("the update is complete", async () => {
      const { metadata, status } = await oracle.admin.of(StatefulSet).get(at(name));
      const isSeen = status?.observedGeneration === metadata.generation;
      return isSeen && status?.updatedReplicas === 3 && status.currentRevision === status.updateRevision;
    });
    expect(kubelet.log.slice(mark)).toEqual(
      ["db-2", "db-1", "db-0"].flatMap((pod) => [`ended ${namespace}/${pod}`, `started ${namespace}/${pod}`]),
    );

    await oracle.admin.of(StatefulSet).patch(at(name), { merge: { spec: { replicas: 1 } } });
    await untilSetReady(name, 1);
    expect(await names(Pod)).toEqual(["db-0"]);
    // What is left of the places is their data.
    expect(await names(PersistentVolumeClaim)).toEqual(["data-db-0", "data-db-1", "data-db-2"]);
  });

  it("lets claims go when it is scaled or deleted, if its policy says so, and their data with them", async () => {
    const set = statefulSet("db", 2);
    const policy = { whenDeleted: "Delete", whenScaled: "Delete" };
    await oracle.admin
      .of(StatefulSet)
      .create({ ...set, spec: { ...set.spec, persistentVolumeClaimRetentionPolicy: policy } });
    await untilSetReady("db", 2);
    await oracle.admin.of(StatefulSet).patch(at("db"), { merge: { spec: { replicas: 1 } } });
    await until("the second claim is gone", async () => (await names(PersistentVolumeClaim)).length === 1);
    await oracle.admin.of(StatefulSet).delete(at("db"), { propagation: "Background" });
    await until("all claims are gone", async () => (await names(PersistentVolumeClaim)).length === 0);
    await until("the volumes are gone", async () => {
      const { items } = await oracle.admin.of(PersistentVolume).list().all();
      return items.every(({ spec }) => spec?.claimRef?.namespace !== namespace);
    });
    expect((await readdir(volumeFolder)).filter((folder) => folder.includes(`_${namespace}_`))).toEqual([]);
  });
});

describe("a service", () => {
  it("has slices with its pods, ready or not, and loses them with their labels", async () => {
    kubelet.hold("web-held");
    await oracle.admin.of(Service).create(service("web", {}));
    await oracle.admin.of(Pod).create({ metadata: { ...at("web-ok"), labels }, spec: template().spec });
    await oracle.admin.of(Pod).create({ metadata: { ...at("web-held"), labels }, spec: template().spec });
    await until("both pods are told", async () => (await endpoints("web")).length === 2);
    expect(await endpoints("web")).toEqual([
      expect.objectContaining({ conditions: { ready: false, serving: false, terminating: false } }),
      expect.objectContaining({ conditions: { ready: true, serving: true, terminating: false } }),
    ]);
    const [slice] = (await oracle.admin.of(EndpointSlice).list({ namespace }).all()).items;
    expect(slice?.ports).toEqual([{ name: "http", port: 8080, protocol: "TCP" }]);
    kubelet.release("web-held");
    await until("both are ready", async () =>
      (await endpoints("web")).every(({ conditions }) => conditions?.ready === true),
    );
    await oracle.admin.of(Pod).patch(at("web-ok"), { merge: { metadata: { labels: { app: null } } } });
    await until("one is left", async () => (await endpoints("web")).length === 1);
    await oracle.admin.of(Service).delete(at("web"));
    await until("the slices go with the service", async () => (await names(EndpointSlice)).length === 0);
  });
});

describe("the deletion of an owner", () => {
  it("in the background takes what it owns afterwards", async () => {
    await oracle.admin.of(Deployment).create(deployment("web", 2));
    await untilAvailable("web", 2);
    await oracle.admin.of(Deployment).delete(at("web"), { propagation: "Background" });
    expect(await there(oracle.admin.of(Deployment).get(at("web")))).toBe(false);
    await untilNothingIsLeft();
  });

  it("in the foreground takes what it owns first, and waits for it", async () => {
    await oracle.admin.of(Deployment).create(deployment("web", 2));
    await untilAvailable("web", 2);
    const [pod] = (await oracle.admin.of(Pod).list({ namespace }).all()).items;
    const finalizers = ["example.com/held"];
    await oracle.admin.of(Pod).patch(at(pod?.metadata.name ?? ""), { merge: { metadata: { finalizers } } });
    await oracle.admin.of(Deployment).delete(at("web"), { propagation: "Foreground" });
    await until("only the pod that is held is left", async () => (await names(Pod)).length === 1);
    const waiting = await oracle.admin.of(Deployment).get(at("web"));
    expect(waiting.metadata.finalizers).toEqual(["foregroundDeletion"]);
    const [set] = await replicaSets("web");
    expect(set?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    const free = { merge: { metadata: { finalizers: null } } };
    await oracle.admin.of(Pod).patch(at(pod?.metadata.name ?? ""), free);
    await untilGone(Deployment, at("web"));
    expect([...(await names(ReplicaSet)), ...(await names(Pod))]).toEqual([]);
  });

  it("as an orphaning one sets free what it owns", async () => {
    await oracle.admin.of(Deployment).create(deployment("web", 2));
    await untilAvailable("web", 2);
    const [before] = await replicaSets("web");
    await oracle.admin.of(Deployment).delete(at("web"), { propagation: "Orphan" });
    await untilGone(Deployment, at("web"));
    const [after] = await replicaSets();
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.metadata.ownerReferences ?? []).toEqual([]);
    expect(await names(Pod)).toHaveLength(2);
    // A new deployment with the same template takes it up again.
    await oracle.admin.of(Deployment).create(deployment("web", 2));
    await untilAvailable("web", 2);
    expect((await replicaSets("web")).map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
    await oracle.admin.of(Deployment).delete(at("web"), { propagation: "Background" });
    await untilNothingIsLeft();
  });

  it("leaves what another owner still has, and frees it of the one that went", async () => {
    const owners = await Promise.all(
      ["one", "other"].map((name) => oracle.admin.of(ConfigMap).create({ metadata: at(name) })),
    );
    const ownerReferences = owners.map(({ metadata: { name, uid } }) => ({
      apiVersion: "v1",
      kind: ConfigMap.kind,
      name,
      uid,
    }));
    await oracle.admin.of(Secret).create({ metadata: { ...at("child"), ownerReferences } });
    await oracle.admin.of(ConfigMap).delete(at("one"));
    await until("one owner is left", async () => {
      const { metadata } = await oracle.admin.of(Secret).get(at("child"));
      return metadata.ownerReferences?.length === 1;
    });
    const { metadata } = await oracle.admin.of(Secret).get(at("child"));
    expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(["other"]);
    await oracle.admin.of(ConfigMap).delete(at("other"));
    await untilGone(Secret, at("child"));
  });
});

describe("a pod without room", () => {
  it("stays Pending, says why as Kubernetes does, and starts when there is room", async () => {
    const big = (name: string, cpu: string) => ({
      metadata: { namespace, name, labels },
      spec: { containers: [{ name: "web", image: "web:1", resources: { requests: { cpu } } }] },
    });
    await oracle.admin.of(Pod).create(big("first", "3"));
    await until("the first runs", async () => (await phaseOf("first")) === "Running");
    await oracle.admin.of(Pod).create(big("second", "3"));
    await until("the second is refused", async () => {
      const { status } = await oracle.admin.of(Pod).get(at("second"));
      return (status?.conditions ?? []).some(({ reason }) => reason === "Unschedulable");
    });
    const { status } = await oracle.admin.of(Pod).get(at("second"));
    const message =
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
    expect(status).toMatchObject({
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    });
    await until("an event says it too", async () => {
      const { items } = await oracle.admin.of(Event).list({ namespace }).all();
      return items.some((event) => event.reason === "FailedScheduling" && event.message === message);
    });
    await oracle.admin.of(Pod).delete(at("first"));
    await until("the second runs", async () => (await phaseOf("second")) === "Running");
  });
});

function deployment(name: string, replicas: number) {
  return {
    metadata: { namespace, name },
    spec: { replicas, selector: { matchLabels: labels }, template: template() },
  };
}

function statefulSet(name: string, replicas: number) {
  const { spec } = template();
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  return {
    metadata: { namespace, name },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: spec.containers.map((container) => ({ ...container, volumeMounts })) },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: {
            storageClassName: "standard",
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
          },
        },
      ],
    },
  };
}

function service(name: string, spec: { readonly clusterIP?: string }) {
  const ports = [{ name: "http", port: 80, targetPort: "http" }];
  return { metadata: { namespace, name }, spec: { selector: labels, ports, ...spec } };
}

/** How many pods were ready at each look, from now until the deployment is done. */
async function watchWhile(act: () => Promise<unknown>): Promise<readonly number[]> {
  const seen: number[] = [];
  await act();
  await until("the roll-out is done", async () => {
    const { items } = await oracle.admin.of(Pod).list({ namespace }).all();
    seen.push(items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length);
    const { metadata, spec, status } = await oracle.admin.of(Deployment).get(at("web"));
    return (
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === spec.replicas &&
      status?.replicas === spec.replicas &&
      status?.availableReplicas === spec.replicas
    );
  });
  return seen;
}

async function untilAvailable(name: string, replicas: number): Promise<void> {
  await until(`${name} has ${replicas} available`, async () => {
    const { metadata, status } = await oracle.admin.of(Deployment).get(at(name));
    return (
      status?.observedGeneration === metadata.generation &&
      status?.availableReplicas === replicas &&
      status?.replicas === replicas &&
      status?.updatedReplicas === replicas &&
      conditionsOf(status)["Progressing"] === "True NewReplicaSetAvailable"
    );
  });
}

async function untilNothingIsLeft(): Promise<void> {
  await until(
    "nothing is left",
    async () => [...(await names(ReplicaSet)), ...(await names(Pod))].length === 0,
  );
}

async function untilSetReady(name: string, replicas: number): Promise<void> {
  await until(`${name} has ${replicas} ready`, async () => {
    const { metadata, status } = await oracle.admin.of(StatefulSet).get(at(name));
    return (
      status?.observedGeneration === metadata.generation &&
      status?.replicas === replicas &&
      status?.readyReplicas === replicas
    );
  });
}

function conditionsOf(
  status:
    | DeepReadonly<{
        conditions?: { type: string; status: string; reason?: string | undefined }[] | undefined;
      }>
    | undefined,
): Record<string, string> {
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]),
  );
}

async function replicaSets(owner?: string): Promise<readonly ReplicaSet[]> {
  const { items } = await oracle.admin.of(ReplicaSet).list({ namespace }).all();
  return items
    .filter((set) => owner === undefined || controllerOf(set)?.name === owner)
    .toSorted((one, other) => revisionOf(one) - revisionOf(other));
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
}

async function ownedPods(uid: string): Promise<readonly Pod[]> {
  const { items } = await oracle.admin.of(Pod).list({ namespace }).all();
  return items.filter(
    (pod) => controllerOf(pod)?.uid === uid && pod.metadata.deletionTimestamp === undefined,
  );
}

async function endpoints(name: string): Promise<NonNullable<EndpointSlice["endpoints"]>> {
  const labelSelector = { "kubernetes.io/service-name": name };
  const { items } = await oracle.admin.of(EndpointSlice).list({ namespace, labelSelector }).all();
  return items.flatMap((slice) => slice.endpoints ?? []);
}

async function phaseOf(pod: string): Promise<string | undefined> {
  return (await oracle.admin.of(Pod).get(at(pod))).status?.phase;
}

async function names<T extends KubeObject>(kind: Kind<T, "Namespaced">): Promise<readonly string[]> {
  const { items } = await oracle.admin.of(kind).list({ namespace }).all();
  return items.map(({ metadata }) => metadata.name ?? "").toSorted();
}

async function untilGone<T>(
  kind: Kind<T, "Namespaced" | "Cluster">,
  key: { namespace?: string; name: string },
) {
  await until(`${kind.kind} ${key.name} is gone`, async () => !(await there(oracle.admin.of(kind).get(key))));
}

async function there(reading: Promise<unknown>): Promise<boolean> {
  return (await unlessGone(reading)) !== undefined;
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}
