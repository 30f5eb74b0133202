import { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import { Node, Pod, type Taint } from "@kedge/machinery/kinds/core/v1";
import { isConflict } from "@kedge/machinery";
import type { Scenario, Stage } from "../testing/workload-stages.ts";
import { until, untilGone } from "../wait.ts";

type Spec = Partial<DaemonSet["spec"]>;
const name = "agent";

const template = (version: string, more: object = {}) => ({
  metadata: { labels: { app: name }, annotations: { note: "template" } },
  spec: { containers: [{ name: "main", image: `agent:${version}` }], ...more },
});

async function make({ client, at }: Stage, spec: Spec = {}): Promise<void> {
  const selector = { matchLabels: { app: name } };
  const metadata = { ...at(name), annotations: { note: "kept" } };
  await client.of(DaemonSet).create({ metadata, spec: { selector, template: template("1"), ...spec } });
}

async function change({ client, at }: Stage, spec: object): Promise<void> {
  await client.of(DaemonSet).patch(at(name), { merge: { spec } });
}

async function untilStatus(
  { client, at }: Stage,
  isSo: (status: NonNullable<DaemonSet["status"]>) => boolean,
): Promise<void> {
  await until("the status is so", async () => {
    const { metadata, status } = await client.of(DaemonSet).get(at(name));
    return status !== undefined && status.observedGeneration === metadata.generation && isSo(status);
  });
}

const isDone =
  (nodes: number) =>
  ({
    desiredNumberScheduled,
    numberAvailable,
    updatedNumberScheduled,
    currentNumberScheduled,
  }: NonNullable<DaemonSet["status"]>): boolean =>
    [desiredNumberScheduled, numberAvailable ?? 0, updatedNumberScheduled ?? 0, currentNumberScheduled].every(
      (count) => count === nodes,
    );

/** Each scenario changes nodes by a key of its own, so that others do not see it. */
async function changeNode(
  { client }: Stage,
  node: string,
  differently: (node: Node) => { labels?: Record<string, string>; taints?: Taint[] },
): Promise<void> {
  await until("the node is changed", async () => {
    const found = await client.of(Node).get({ name: node });
    const { labels, taints } = differently(found);
    try {
      await client.of(Node).replace({
        ...found,
        metadata: { ...found.metadata, ...(labels && { labels }) },
        spec: { ...found.spec, ...(taints && { taints }) },
      });
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  });
}

const label = (stage: Stage, node: string, key: string): Promise<void> =>
  changeNode(stage, node, ({ metadata }) => ({ labels: { ...metadata.labels, [key]: "yes" } }));
const unlabel = (stage: Stage, node: string, key: string): Promise<void> =>
  changeNode(stage, node, ({ metadata }) => {
    const { [key]: _, ...labels } = metadata.labels ?? {};
    return { labels };
  });
/** Only this scenario's own set looks at nodes with such a label. */
const only = (key: string) => ({ nodeSelector: { [key]: "yes" } });
const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  type: "RollingUpdate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

/** DaemonSets: which nodes, updates, revisions. There are two nodes. */
export const daemonSetScenarios: readonly Scenario[] = [
  [
    "a pod on every node",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone(2));
    },
  ],
  [
    "a pod on nodes with a label, as it comes and goes",
    async (stage) => {
      await make(stage, { template: template("1", only("comes")) });
      await untilStatus(stage, isDone(0));
      await label(stage, "node-1", "comes");
      await untilStatus(stage, isDone(1));
      await label(stage, "node-2", "comes");
      await untilStatus(stage, isDone(2));
      await unlabel(stage, "node-1", "comes");
      await untilStatus(stage, isDone(1));
      await stage.untilRunning(1);
    },
  ],
  [
    "another template, one node at a time, and back",
    async (stage) => {
      await make(stage, { updateStrategy: rolling(1) });
      await untilStatus(stage, isDone(2));
      for (const version of ["2", "1"]) {
        await change(stage, { template: template(version) });
        await untilStatus(stage, isDone(2));
      }
    },
  ],
  [
    "another template, a new pod beside the old one",
    async (stage) => {
      await make(stage, { updateStrategy: rolling(0, 1) });
      await untilStatus(stage, isDone(2));
      await change(stage, { template: template("2") });
      await untilStatus(stage, isDone(2));
      await stage.untilRunning(2);
    },
  ],
  [
    "another template, whose old pods somebody deletes",
    async (stage) => {
      await make(stage, { updateStrategy: { type: "OnDelete" } });
      await untilStatus(stage, isDone(2));
      await change(stage, { template: template("2") });
      await untilStatus(stage, ({ updatedNumberScheduled = 0 }) => updatedNumberScheduled === 0);
      for (const pod of await stage.pods()) await stage.client.of(Pod).delete(pod.metadata);
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
    "few revisions are kept",
    async (stage) => {
      await make(stage, { revisionHistoryLimit: 1, updateStrategy: rolling(2) });
      for (const version of ["2", "3", "4"]) {
        await untilStatus(stage, isDone(2));
        await change(stage, { template: template(version) });
      }
      await untilStatus(stage, isDone(2));
    },
  ],
  [
    "a pod that fails",
    async (stage) => {
      await make(stage, { template: template("1", only("fails")) });
      await label(stage, "node-1", "fails");
      const [pod] = await stage.untilRunning(1);
      await stage.end(pod, 1);
      await until("another runs", async () => {
        const [now] = await stage.pods();
        return now !== undefined && now.metadata.uid !== pod?.metadata.uid;
      });
      await untilStatus(stage, isDone(1));
    },
  ],
  [
    "a taint that it tolerates, and its network is the node's",
    async (stage) => {
      const tolerations = [{ key: "tolerated", operator: "Exists" }];
      await make(stage, { template: template("1", { ...only("taints"), tolerations, hostNetwork: true }) });
      await label(stage, "node-2", "taints");
      await untilStatus(stage, isDone(1));
    },
  ],
  [
    "it goes, and its pods and revisions with it",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone(2));
      await stage.client.of(DaemonSet).delete(stage.at(name), { propagation: "Foreground" });
      await until("its pods are gone", async () => (await stage.pods()).length === 0);
    },
  ],
  [
    "its pods outlive it, and are adopted by the next of its kind",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, isDone(2));
      await stage.client.of(DaemonSet).delete(stage.at(name), { propagation: "Orphan" });
      await until("the pods are free", async () =>
        (await stage.pods()).every(({ metadata }) => metadata.ownerReferences === undefined),
      );
      await untilGone(name, () => stage.client.of(DaemonSet).get(stage.at(name)));
      await make(stage);
      await untilStatus(stage, isDone(2));
    },
  ],
];
