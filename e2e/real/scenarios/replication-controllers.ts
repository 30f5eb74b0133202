import { Pod, ReplicationController } from "@kedge/machinery/kinds/core/v1";
import type { Scenario, Stage } from "../testing/workload-stages.ts";
import { until } from "../wait.ts";

const name = "old";
const labels = { app: name };

async function make({ client, at }: Stage, replicas: number): Promise<void> {
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "old:1" }] } };
  await client.of(ReplicationController).create({ metadata: at(name), spec: { replicas, template } });
}

async function untilAvailable({ client, at }: Stage, count: number): Promise<void> {
  await until(`${count} pods are available`, async () => {
    const { metadata, status } = await client.of(ReplicationController).get(at(name));
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && status?.replicas === count && (status.availableReplicas ?? 0) === count;
  });
}

/** ReplicationControllers: the older ReplicaSets. */
export const replicationControllerScenarios: readonly Scenario[] = [
  [
    "as many pods as it says, then more, then fewer",
    async (stage) => {
      await make(stage, 2);
      await untilAvailable(stage, 2);
      for (const replicas of [3, 1]) {
        await stage.client.of(ReplicationController).patch(stage.at(name), { merge: { spec: { replicas } } });
        await untilAvailable(stage, replicas);
      }
      await stage.untilRunning(1);
    },
  ],
  [
    "an orphan that it adopts",
    async (stage) => {
      const spec = { containers: [{ name: "main", image: "old:1" }] };
      await stage.client.of(Pod).create({ metadata: { ...stage.at("orphan"), labels }, spec });
      await stage.untilRunning(1);
      await make(stage, 2);
      await untilAvailable(stage, 2);
    },
  ],
  [
    "its pods outlive it when nothing else is said",
    async (stage) => {
      await make(stage, 2);
      await untilAvailable(stage, 2);
      await stage.client.of(ReplicationController).delete(stage.at(name));
      await until("the pods are free", async () =>
        (await stage.pods()).every(({ metadata }) => metadata.ownerReferences === undefined),
      );
    },
  ],
];
