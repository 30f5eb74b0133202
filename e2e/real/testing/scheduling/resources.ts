import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { threeNodes, type Scenario } from "./scenario.ts";

const gigabyte = 1024 ** 3;

/** Room, taints, selectors, images. */
export const resourceScenarios: readonly Scenario[] = [
  {
    name: "the emptiest node is taken",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("one", "n1", { requests: { cpu: "1", memory: "2Gi" } });
      await cluster.placed("two", "n3", { requests: { cpu: "1", memory: "2Gi" } });
      await cluster.pod("p", { requests: { cpu: "1", memory: "2Gi" } });
    },
  },
  {
    name: "pods that ask for nothing count, too",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("one", "n1");
      await cluster.placed("two", "n2");
      await cluster.pod("p");
    },
  },
  {
    name: "of equally full nodes the one in better balance is taken",
    async play(cluster) {
      await cluster.node("n1");
      await cluster.node("n2");
      await cluster.placed("cpu", "n1", { requests: { cpu: "2", memory: "1Gi" } });
      await cluster.placed("memory", "n2", { requests: { cpu: "500m", memory: "4Gi" } });
      await cluster.pod("p", { requests: { cpu: "1500m", memory: "256Mi" } });
    },
  },
  {
    name: "each node has its own reason",
    async play(cluster) {
      await cluster.node("n1");
      await cluster.node("n2", { spec: { taints: [{ key: "a", value: "b", effect: "NoSchedule" }] } });
      await cluster.node("n3", { spec: { unschedulable: true } });
      await cluster.node("n4", { allocatable: { pods: "0" } });
      await cluster.node("n5", { allocatable: { cpu: "2" } });
      await cluster.placed("busy", "n1", { requests: { cpu: "3" } });
      await cluster.pod("p", { requests: { cpu: "3" } });
    },
  },
  {
    name: "storage and extended resources run out",
    async play(cluster) {
      await cluster.node("n1", { allocatable: { "ephemeral-storage": "1Gi", "example.com/gpu": "2" } });
      await cluster.node("n2");
      await cluster.pod("gpus", {
        requests: { "example.com/gpu": "3" },
        spec: limits({ "example.com/gpu": "3" }),
      });
      await cluster.pod("storage", { requests: { "ephemeral-storage": "2Gi" } });
      await cluster.pod("fits", { requests: { "ephemeral-storage": "512Mi" } });
    },
  },
  {
    name: "sidecars, init containers and requests of the pod count",
    async play(cluster) {
      await cluster.node("n1");
      const container = (name: string, cpu: string, more: object = {}) => ({
        name,
        image: "app:1",
        resources: { requests: { cpu } },
        ...more,
      });
      const always = { restartPolicy: "Always" };
      await cluster.pod("sidecar", {
        spec: {
          initContainers: [container("side", "2", always), container("init", "3")],
          containers: [container("main", "1")],
        },
      });
      await cluster.pod("whole", {
        spec: { resources: { requests: { cpu: "5" } }, containers: [container("main", "1")] },
      });
      await cluster.settled();
      await cluster.pod("init", {
        spec: { initContainers: [container("init", "4")], containers: [container("main", "1")] },
      });
    },
  },
  {
    name: "a port of the machine is taken once",
    async play(cluster) {
      await cluster.node("n1");
      await cluster.placed("first", "n1", { ports: [{ containerPort: 80, hostPort: 8080 }] });
      await cluster.pod("second", { ports: [{ containerPort: 80, hostPort: 8080 }] });
      await cluster.pod("other", { ports: [{ containerPort: 80, hostPort: 8081 }] });
    },
  },
  {
    name: "a node that would rather be left alone comes last",
    async play(cluster) {
      await cluster.node("n1", { spec: { taints: [{ key: "a", effect: "PreferNoSchedule" }] } });
      await cluster.node("n2");
      await cluster.placed("busy", "n2", { requests: { cpu: "2", memory: "4Gi" } });
      await cluster.pod("p", { requests: { cpu: "100m", memory: "64Mi" } });
      await cluster.pod("tolerant", {
        requests: { cpu: "100m", memory: "64Mi" },
        spec: { tolerations: [{ key: "a", operator: "Exists" }] },
      });
    },
  },
  {
    name: "node selectors and affinities",
    async play(cluster) {
      await cluster.node("n1", { labels: { disk: "fast", cores: "8" } });
      await cluster.node("n2", { labels: { disk: "slow", cores: "16" } });
      await cluster.pod("selected", { spec: { nodeSelector: { disk: "slow" } } });
      await cluster.pod("none", { spec: { nodeSelector: { disk: "none" } } });
      const term = (key: string, operator: string, ...values: string[]) => ({
        matchExpressions: [{ key, operator, values }],
      });
      const required = (...nodeSelectorTerms: object[]) => ({
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
        } as Pod["spec"]["affinity"],
      });
      await cluster.pod("greater", { spec: required(term("cores", "Gt", "10")) });
      await cluster.pod("either", { spec: required(term("disk", "In", "none"), term("cores", "Lt", "10")) });
      await cluster.pod("not", { spec: required(term("disk", "NotIn", "fast", "slow")) });
    },
  },
  {
    name: "preferred node affinity, by its weights",
    async play(cluster) {
      await cluster.node("n1", { labels: { disk: "fast" } });
      await cluster.node("n2", { labels: { disk: "slow", big: "yes" } });
      const preference = (weight: number, key: string, value: string) => ({
        weight,
        preference: { matchExpressions: [{ key, operator: "In", values: [value] }] },
      });
      const preferred = [preference(10, "disk", "fast"), preference(80, "big", "yes")];
      await cluster.pod("p", {
        spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } },
      });
    },
  },
  {
    name: "pods for nodes by name, as those of a DaemonSet",
    async play(cluster) {
      await threeNodes(cluster);
      const named = (...names: string[]): Partial<Pod["spec"]> => {
        const matchFields = names.map((name) => ({ key: "metadata.name", operator: "In", values: [name] }));
        const nodeSelectorTerms = [{ matchFields }];
        return {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
          },
        };
      };
      await cluster.pod("there", { spec: named("n2") });
      await cluster.pod("full", { requests: { cpu: "5" }, spec: named("n1") });
      await cluster.pod("gone", { spec: named("n9") });
      await cluster.pod("conflict", { spec: named("n1", "n2") });
    },
  },
  {
    name: "the node that has a large image is taken",
    async play(cluster) {
      await cluster.node("n1");
      await cluster.node("n2", { images: [{ names: ["big:1"], sizeBytes: gigabyte }] });
      await cluster.pod("p", { image: "big:1" });
    },
  },
  {
    name: "without nodes a pod waits for the first",
    async play(cluster) {
      await cluster.pod("p");
      await cluster.settled();
      await cluster.node("n1");
      await cluster.untilPlaced("p");
    },
  },
  {
    name: "a pod that is refused is placed when its node is uncordoned, and another when one leaves",
    async play(cluster) {
      await cluster.node("n1", { spec: { unschedulable: true } });
      await cluster.pod("first", { requests: { cpu: "3" } });
      await cluster.settled();
      await cluster.admin.of(Node).patch({ name: "n1" }, { merge: { spec: { unschedulable: null } } });
      await cluster.untilPlaced("first");
      await cluster.pod("second", { requests: { cpu: "3" } });
      await cluster.settled();
      await cluster.end("first");
      await cluster.untilPlaced("second");
    },
  },
  {
    name: "a pod behind gates, and of another scheduler",
    async play(cluster) {
      await cluster.node("n1");
      await cluster.pod("gated", { spec: { schedulingGates: [{ name: "example.com/wait" }] } });
      await cluster.pod("open", { spec: { schedulingGates: [{ name: "example.com/wait" }] } });
      const key = { namespace: "default", name: "open" };
      await cluster.settled();
      await cluster.admin.of(Pod).patch(key, { merge: { spec: { schedulingGates: null } } });
      await cluster.untilPlaced("open");
    },
  },
  {
    name: "the important pod is placed first",
    async play(cluster) {
      const priorities = cluster.admin.of(PriorityClass);
      await priorities.create({ metadata: { name: "high" }, value: 1000 });
      await cluster.pod("low", { requests: { cpu: "3" } });
      await cluster.pod("high", { requests: { cpu: "3" }, spec: { priorityClassName: "high" } });
      await cluster.settled();
      await cluster.node("n1");
      await cluster.untilPlaced("high");
    },
  },
];

function limits(amounts: Readonly<Record<string, string>>): Partial<Pod["spec"]> {
  const resources = { requests: { ...amounts }, limits: { ...amounts } };
  return { containers: [{ name: "main", image: "app:1", resources }] };
}
