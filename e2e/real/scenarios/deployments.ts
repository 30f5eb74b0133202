import { findCondition } from "@kedge/machinery";
import { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { stuckImage, type Scenario, type Stage } from "../testing/workload-stages.ts";
import { until, untilGone } from "../wait.ts";

type Spec = Partial<Deployment["spec"]>;
const name = "web";
const labels = { app: name };
const selector = { matchLabels: labels };

const template = (image: string, more: object = {}) => ({
  metadata: { labels, annotations: { note: "template" } },
  spec: { containers: [{ name: "main", image }], ...more },
});

async function make({ client, at }: Stage, spec: Spec = {}): Promise<void> {
  await client.of(Deployment).create({
    metadata: { ...at(name), annotations: { note: "kept" } },
    spec: { replicas: 2, selector, template: template("main:1"), ...spec },
  });
}

async function change({ client, at }: Stage, spec: object): Promise<void> {
  await client.of(Deployment).patch(at(name), { merge: { spec } });
}

async function untilStatus({ client, at }: Stage, isSo: (deployment: Deployment) => boolean): Promise<void> {
  await until("the status is so", async () => {
    const deployment = await client.of(Deployment).get(at(name));
    const { metadata, status } = deployment;
    return status?.observedGeneration === metadata.generation && isSo(deployment);
  });
}

const isDone = ({ spec, status }: Deployment): boolean =>
  [status?.replicas, status?.updatedReplicas, status?.availableReplicas].every(
    (count) => (count ?? 0) === spec.replicas,
  );
const says =
  (type: string, reason: string) =>
  ({ status }: Deployment): boolean =>
    findCondition(status?.conditions, type)?.reason === reason;

const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
});

/** Deployments, and ReplicaSets without one. */
export const deploymentScenarios: readonly Scenario[] = [
  [
    "none, then two, then one",
    async (stage) => {
      await make(stage, { replicas: 0 });
      for (const replicas of [2, 1]) {
        await untilStatus(stage, isDone);
        await change(stage, { replicas });
      }
      await untilStatus(stage, isDone);
      await stage.untilRunning(1);
    },
  ],
  [
    "another template, first one away, then one more",
    async (stage) => {
      await make(stage, rolling(0, 1));
      await untilStatus(stage, isDone);
      await change(stage, { template: template("main:2") });
      await untilStatus(stage, isDone);
    },
  ],
  [
    "another template while it is paused, and then it goes on",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone);
      await change(stage, { paused: true });
      await untilStatus(stage, says("Progressing", "DeploymentPaused"));
      await change(stage, { template: template("main:2"), replicas: 3 });
      await untilStatus(stage, ({ status }) => status?.replicas === 3);
      await change(stage, { paused: false });
      await untilStatus(stage, isDone);
    },
  ],
  [
    "a roll-out that does not get ahead in its time",
    async (stage) => {
      await make(stage, { progressDeadlineSeconds: 2 });
      await untilStatus(stage, isDone);
      await change(stage, { template: template(stuckImage) });
      await untilStatus(stage, says("Progressing", "ProgressDeadlineExceeded"));
    },
  ],
  [
    "a roll-out that does not get ahead, and is undone",
    async (stage) => {
      await make(stage, { progressDeadlineSeconds: 2 });
      await untilStatus(stage, isDone);
      await change(stage, { template: template(stuckImage) });
      await untilStatus(stage, says("Progressing", "ProgressDeadlineExceeded"));
      await change(stage, { template: template("main:1") });
      await untilStatus(stage, isDone);
      await stage.untilRunning(2);
    },
  ],
  [
    "another size in the middle of a roll-out",
    async (stage) => {
      await make(stage, { replicas: 4, ...rolling(2, 0) });
      await untilStatus(stage, isDone);
      await change(stage, { template: template(stuckImage) });
      await untilStatus(stage, ({ status }) => status?.updatedReplicas === 2);
      await change(stage, { replicas: 8 });
      await untilStatus(stage, ({ status }) => status?.replicas === 10);
      await stage.untilRunning(10);
    },
  ],
  [
    "a third template in the middle of a roll-out",
    async (stage) => {
      await make(stage, rolling(1, 0));
      await untilStatus(stage, isDone);
      await change(stage, { template: template(stuckImage) });
      await untilStatus(stage, ({ status }) => status?.updatedReplicas === 1);
      await change(stage, { template: template("main:3") });
      await untilStatus(stage, isDone);
      await stage.untilRunning(2);
    },
  ],
  [
    "few revisions are kept",
    async (stage) => {
      await make(stage, { replicas: 1, revisionHistoryLimit: 1 });
      for (const version of ["2", "3", "4"]) {
        await untilStatus(stage, isDone);
        await change(stage, { template: template(`main:${version}`) });
      }
      await untilStatus(stage, isDone);
      await until("the others are gone", async () => {
        const { items } = await stage.client.of(ReplicaSet).list({ namespace: stage.namespace }).all();
        return items.length === 2;
      });
    },
  ],
  [
    "ready for some seconds before it is available",
    async (stage) => {
      await make(stage, { minReadySeconds: 2 });
      await untilStatus(stage, isDone);
    },
  ],
  [
    "pods that nobody may create",
    async (stage) => {
      await make(stage, { template: template("main:1", { serviceAccountName: "nobody" }) });
      await untilStatus(stage, says("ReplicaFailure", "FailedCreate"));
    },
  ],
  [
    "its replica sets outlive it, and are adopted by the next of its kind",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone);
      await stage.client.of(Deployment).delete(stage.at(name), { propagation: "Orphan" });
      await until("the replica sets are free", async () => {
        const { items } = await stage.client.of(ReplicaSet).list({ namespace: stage.namespace }).all();
        return items.every(({ metadata }) => metadata.ownerReferences === undefined);
      });
      await untilGone(name, () => stage.client.of(Deployment).get(stage.at(name)));
      await make(stage);
      await untilStatus(stage, isDone);
    },
  ],
  [
    "it goes, and everything with it",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone);
      await stage.client.of(Deployment).delete(stage.at(name), { propagation: "Foreground" });
      await until("its pods are gone", async () => (await stage.pods()).length === 0);
    },
  ],
  [
    "a replica set alone: it adopts a pod, lets one go, and replaces one that failed",
    async (stage) => {
      const spec = { containers: [{ name: "main", image: "main:1" }] };
      await stage.client.of(Pod).create({ metadata: { ...stage.at("orphan"), labels }, spec });
      await stage.untilRunning(1);
      await stage.client.of(ReplicaSet).create({
        metadata: stage.at(name),
        spec: { replicas: 3, selector, template: template("main:1") },
      });
      const pods = await stage.untilRunning(3);
      await stage.client
        .of(Pod)
        .patch(stage.at("orphan"), { merge: { metadata: { labels: { app: "other" } } } });
      await stage.untilRunning(4);
      await stage.end(
        pods.find(({ metadata }) => metadata.name !== "orphan"),
        1,
      );
      await stage.untilRunning(4);
    },
  ],
];
