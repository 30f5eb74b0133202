import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { stuckImage, type Scenario, type Stage } from "../testing/workload-stages.ts";
import { until, untilGone } from "../wait.ts";

type Spec = Partial<StatefulSet["spec"]>;
type Status = NonNullable<StatefulSet["status"]>;
const name = "db";
const labels = { app: name };

const template = (image: string, more: object = {}) => ({
  metadata: { labels, annotations: { note: "template" } },
  spec: { containers: [{ name: "main", image }], ...more },
});

async function make({ client, at }: Stage, spec: Spec = {}): Promise<void> {
  await client.of(StatefulSet).create({
    metadata: { ...at(name), annotations: { note: "kept" } },
    spec: {
      replicas: 2,
      serviceName: name,
      selector: { matchLabels: labels },
      template: template("main:1"),
      ...spec,
    },
  });
}

async function change({ client, at }: Stage, spec: object): Promise<void> {
  await client.of(StatefulSet).patch(at(name), { merge: { spec } });
}

async function untilStatus({ client, at }: Stage, isSo: (status: Status) => boolean): Promise<void> {
  await until("the status is so", async () => {
    const { metadata, status } = await client.of(StatefulSet).get(at(name));
    return status !== undefined && status.observedGeneration === metadata.generation && isSo(status);
  });
}

const isDone =
  (count: number) =>
  ({
    replicas,
    availableReplicas = 0,
    updatedReplicas = 0,
    currentRevision,
    updateRevision,
  }: Status): boolean =>
    [replicas, availableReplicas, updatedReplicas].every((each) => each === count) &&
    currentRevision === updateRevision;

const partitioned = (partition: number) => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
});

const claims: Spec["volumeClaimTemplates"] = [
  {
    metadata: { name: "data", labels: { tier: "data" } },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "nobody-has-it",
      resources: { requests: { storage: "1Gi" } },
    },
  },
];

const claimNames = async ({ client, namespace }: Stage): Promise<readonly string[]> =>
  (await client.of(PersistentVolumeClaim).list({ namespace }).all()).items.map(
    ({ metadata }) => metadata.name,
  );

/** StatefulSets: order, updates, claims. */
export const statefulSetScenarios: readonly Scenario[] = [
  [
    "one after the other, up and down",
    async (stage) => {
      await make(stage, { replicas: 3 });
      await untilStatus(stage, isDone(3));
      await change(stage, { replicas: 1 });
      await untilStatus(stage, isDone(1));
    },
  ],
  [
    "all at once, up and down",
    async (stage) => {
      await make(stage, { replicas: 3, podManagementPolicy: "Parallel" });
      await untilStatus(stage, isDone(3));
      await change(stage, { replicas: 1 });
      await untilStatus(stage, isDone(1));
    },
  ],
  [
    "the first does not become ready",
    async (stage) => {
      await make(stage, { template: template(stuckImage) });
      await untilStatus(stage, ({ replicas }) => replicas === 1);
      await stage.untilRunning(1);
    },
  ],
  [
    "ordinals that begin with five",
    async (stage) => {
      await make(stage, { ordinals: { start: 5 } });
      await untilStatus(stage, isDone(2));
    },
  ],
  [
    "another template for the last one, then for all",
    async (stage) => {
      await make(stage, partitioned(1));
      await untilStatus(stage, isDone(2));
      await change(stage, { template: template("main:2") });
      await untilStatus(
        stage,
        ({ updatedReplicas, availableReplicas }) => updatedReplicas === 1 && availableReplicas === 2,
      );
      await change(stage, partitioned(0));
      await untilStatus(stage, isDone(2));
    },
  ],
  [
    "another template, whose old pods somebody deletes",
    async (stage) => {
      await make(stage, { updateStrategy: { type: "OnDelete" } });
      await untilStatus(stage, isDone(2));
      await change(stage, { template: template("main:2") });
      await untilStatus(stage, ({ updateRevision, currentRevision }) => updateRevision !== currentRevision);
      for (const { metadata } of await stage.pods()) await stage.client.of(Pod).delete(metadata);
      await untilStatus(
        stage,
        ({ updatedReplicas, availableReplicas }) => updatedReplicas === 2 && availableReplicas === 2,
      );
    },
  ],
  [
    "another template with which it does not become ready, and back",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone(2));
      await change(stage, { template: template(stuckImage) });
      await untilStatus(
        stage,
        ({ updatedReplicas, readyReplicas }) => updatedReplicas === 1 && readyReplicas === 1,
      );
      await change(stage, { template: template("main:1") });
      await untilStatus(stage, ({ updateRevision, currentRevision }) => updateRevision === currentRevision);
    },
  ],
  [
    "few revisions are kept",
    async (stage) => {
      await make(stage, { replicas: 1, revisionHistoryLimit: 1 });
      for (const version of ["2", "3", "4"]) {
        await untilStatus(stage, isDone(1));
        await change(stage, { template: template(`main:${version}`) });
      }
      await untilStatus(stage, isDone(1));
    },
  ],
  [
    "a pod that fails, and one that succeeds",
    async (stage) => {
      await make(stage);
      const [first, second] = await stage.untilRunning(2);
      const uids = new Set([first?.metadata.uid, second?.metadata.uid]);
      await stage.end(first, 1);
      await stage.end(second, 0);
      await until("others run", async () => {
        const pods = await stage.pods();
        return pods.length === 2 && pods.every(({ metadata }) => !uids.has(metadata.uid));
      });
      await untilStatus(stage, isDone(2));
    },
  ],
  [
    "ready for some seconds before it is available",
    async (stage) => {
      await make(stage, { minReadySeconds: 2 });
      await untilStatus(stage, isDone(2));
    },
  ],
  [
    "pods that nobody may create",
    async (stage) => {
      await make(stage, { template: template("main:1", { serviceAccountName: "nobody" }) });
      await untilStatus(stage, ({ replicas }) => replicas === 0);
    },
  ],
  [
    "claims that stay",
    async (stage) => {
      await make(stage, { podManagementPolicy: "Parallel", volumeClaimTemplates: claims });
      await until("there are two", async () => (await claimNames(stage)).length === 2);
      await untilStatus(stage, ({ replicas }) => replicas === 2);
      await change(stage, { replicas: 1 });
      await untilStatus(stage, ({ replicas }) => replicas === 1);
    },
  ],
  [
    "claims that go with their pod",
    async (stage) => {
      await make(stage, {
        podManagementPolicy: "Parallel",
        volumeClaimTemplates: claims,
        persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
      });
      await until("there are two", async () => (await claimNames(stage)).length === 2);
      await untilStatus(stage, ({ replicas }) => replicas === 2);
      await change(stage, { replicas: 1 });
      await untilStatus(stage, ({ replicas }) => replicas === 1);
      await until("one is left", async () => (await claimNames(stage)).length === 1);
    },
  ],
  [
    "claims that go with the set",
    async (stage) => {
      await make(stage, {
        podManagementPolicy: "Parallel",
        volumeClaimTemplates: claims,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
      });
      await until("two are the set's", async () => {
        const { items } = await stage.client
          .of(PersistentVolumeClaim)
          .list({ namespace: stage.namespace })
          .all();
        return items.filter(({ metadata }) => metadata.ownerReferences?.length === 1).length === 2;
      });
      await untilStatus(stage, ({ replicas }) => replicas === 2);
      await stage.client.of(StatefulSet).delete(stage.at(name), { propagation: "Background" });
      await until("none is left", async () => (await claimNames(stage)).length === 0);
    },
  ],
  [
    "its pods outlive it, and are adopted by the next of its kind",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone(2));
      await stage.client.of(StatefulSet).delete(stage.at(name), { propagation: "Orphan" });
      await until("the pods are free", async () =>
        (await stage.pods()).every(({ metadata }) => metadata.ownerReferences === undefined),
      );
      await untilGone(name, () => stage.client.of(StatefulSet).get(stage.at(name)));
      await make(stage);
      await untilStatus(stage, isDone(2));
    },
  ],
];
