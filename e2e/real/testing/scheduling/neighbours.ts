import { Service, type Pod } from "@kedge/machinery/kinds/core/v1";
import { hostname, threeNodes, zone, type Scenario } from "./scenario.ts";

const web = { app: "web" };
const webSelector = { matchLabels: web };
type Constraint = NonNullable<Pod["spec"]["topologySpreadConstraints"]>[number];

function spread(topologyKey: string, more: Partial<Constraint> = {}): Partial<Pod["spec"]> {
  const usual = { maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", labelSelector: webSelector };
  return { topologySpreadConstraints: [{ ...usual, topologyKey, ...more }] };
}

type Term = {
  readonly topologyKey: string;
  readonly labelSelector?: object;
  readonly namespaceSelector?: object;
};

function rules(kind: "podAffinity" | "podAntiAffinity", term: Partial<Term> = {}): Partial<Pod["spec"]> {
  const whole = { topologyKey: zone, labelSelector: webSelector, ...term };
  return { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [whole] } } };
}

function wishes(kind: "podAffinity" | "podAntiAffinity", weight: number): Partial<Pod["spec"]> {
  const podAffinityTerm = { topologyKey: zone, labelSelector: webSelector };
  return {
    affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
  };
}

/** How pods stand to other pods: spread, affinity and anti-affinity. */
export const neighbourScenarios: readonly Scenario[] = [
  {
    name: "spread over zones, however full",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("one", "n1", { labels: web });
      await cluster.placed("busy", "n3", { requests: { cpu: "3", memory: "6Gi" } });
      await cluster.pod("p", { labels: web, spec: spread(zone) });
    },
  },
  {
    name: "no spread without the label, and none that is even enough",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("one", "n3", { labels: web });
      // Of the two nodes of the other zone, one is the better.
      await cluster.placed("busy", "n2", { requests: { cpu: "1" } });
      await cluster.pod("rack", { labels: web, spec: spread("example.com/rack") });
      await cluster.pod("few", { labels: web, spec: spread(zone, { minDomains: 3 }) });
      await cluster.pod("crowd", {
        labels: web,
        spec: { ...spread(zone), nodeSelector: { [zone]: "b" } },
      });
      await cluster.pod("bound", {
        labels: web,
        requests: { cpu: "5" },
        spec: spread(hostname),
      });
    },
  },
  {
    name: "spread counts nodes by their taints and by the pod's selector, or not",
    async play(cluster) {
      await cluster.node("n1", { labels: { [zone]: "a", pool: "x" } });
      await cluster.node("n2", {
        labels: { [zone]: "b" },
        spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
      });
      await cluster.placed("one", "n1", { labels: web });
      await cluster.pod("ignores-taints", { labels: web, spec: spread(zone) });
      await cluster.pod("honors-taints", { labels: web, spec: spread(zone, { nodeTaintsPolicy: "Honor" }) });
      await cluster.settled();
      await cluster.pod("ignores-affinity", {
        labels: web,
        spec: { ...spread(zone, { nodeAffinityPolicy: "Ignore" }), nodeSelector: { pool: "x" } },
      });
    },
  },
  {
    name: "spread that is only wished for",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("one", "n1", { labels: web });
      await cluster.placed("two", "n2", { labels: web });
      await cluster.placed("busy", "n3", { requests: { cpu: "2", memory: "4Gi" } });
      await cluster.pod("p", { labels: web, spec: spread(zone, { whenUnsatisfiable: "ScheduleAnyway" }) });
    },
  },
  {
    name: "spread only over the pods of one revision",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("old", "n3", { labels: { ...web, revision: "1" } });
      await cluster.placed("new", "n1", { labels: { ...web, revision: "2" } });
      await cluster.placed("busy", "n3", { requests: { cpu: "2" } });
      await cluster.pod("p", {
        labels: { ...web, revision: "2" },
        spec: spread(zone, { matchLabelKeys: ["revision"] }),
      });
    },
  },
  {
    name: "the pods of a service are spread by default",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.admin.of(Service).create({
        metadata: { namespace: "default", name: "web" },
        spec: { selector: web, ports: [{ port: 80 }] },
      });
      for (const name of ["one", "two", "three"]) await cluster.placed(name, "n1", { labels: web });
      for (const name of ["four", "five"]) await cluster.placed(name, "n2", { labels: web });
      await cluster.placed("busy", "n3", { requests: { cpu: "1500m", memory: "3Gi" } });
      await cluster.pod("p", { labels: web });
    },
  },
  {
    name: "beside a pod of the same zone, or nowhere",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("web", "n3", { labels: web });
      await cluster.pod("beside", { spec: rules("podAffinity") });
      await cluster.pod("nobody", {
        spec: rules("podAffinity", { labelSelector: { matchLabels: { app: "x" } } }),
      });
      await cluster.pod("rackless", { spec: rules("podAffinity", { topologyKey: "example.com/rack" }) });
    },
  },
  {
    name: "the first of a group may go anywhere, the next beside it",
    async play(cluster) {
      await cluster.node("n1", { labels: { [zone]: "a" }, allocatable: { cpu: "8" } });
      await cluster.node("n2", { labels: { [zone]: "b" } });
      await cluster.pod("first", { labels: web, requests: { cpu: "1" }, spec: rules("podAffinity") });
      await cluster.untilPlaced("first");
      await cluster.placed("busy", "n1", { requests: { cpu: "5" } });
      await cluster.pod("next", { labels: web, requests: { cpu: "1" }, spec: rules("podAffinity") });
    },
  },
  {
    name: "apart from others, and others apart from it",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("web", "n1", { labels: web });
      await cluster.placed("loner", "n3", {
        spec: rules("podAntiAffinity", { labelSelector: { matchLabels: { app: "db" } } }),
      });
      await cluster.pod("apart", { spec: rules("podAntiAffinity") });
      await cluster.pod("db", {
        labels: { app: "db" },
        requests: { cpu: "100m" },
        spec: { nodeSelector: { [zone]: "b" } },
      });
      await cluster.pod("both", { labels: { app: "db" }, spec: rules("podAntiAffinity") });
    },
  },
  {
    name: "rules about pods of other namespaces",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("web", "n3", { namespace: "blue", labels: web });
      await cluster.pod("blue", {
        spec: rules("podAffinity", { namespaceSelector: { matchLabels: { team: "blue" } } }),
      });
      await cluster.pod("red", {
        spec: rules("podAffinity", { namespaceSelector: { matchLabels: { team: "red" } } }),
      });
      await cluster.pod("all", { spec: rules("podAffinity", { namespaceSelector: {} }) });
      await cluster.pod("own", { spec: rules("podAffinity") });
      await cluster.placed("loner", "n1", {
        namespace: "red",
        spec: rules("podAntiAffinity", { topologyKey: hostname, namespaceSelector: {} }),
      });
      await cluster.pod("refused", { labels: web, spec: { nodeSelector: { [hostname]: "n1" } } });
    },
  },
  {
    name: "wishes to be beside or apart",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("web", "n3", { labels: web, requests: { cpu: "2", memory: "4Gi" } });
      await cluster.pod("beside", { requests: { cpu: "10m" }, spec: wishes("podAffinity", 100) });
      await cluster.settled();
      await cluster.placed("busy", "n1", { requests: { cpu: "3", memory: "6Gi" } });
      await cluster.placed("busy2", "n2", { requests: { cpu: "3500m", memory: "7Gi" } });
      await cluster.pod("apart", { requests: { cpu: "10m" }, spec: wishes("podAntiAffinity", 100) });
    },
  },
  {
    name: "wishes of the pods that are there",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.placed("fan", "n3", {
        requests: { cpu: "2", memory: "4Gi" },
        spec: wishes("podAffinity", 100),
      });
      await cluster.pod("star", { labels: web, requests: { cpu: "10m" } });
      await cluster.settled();
      await cluster.placed("needy", "n3", { spec: rules("podAffinity") });
      await cluster.pod("star2", { labels: web, requests: { cpu: "10m" } });
    },
  },
  {
    name: "a pod beside which another must be wakes it",
    async play(cluster) {
      await threeNodes(cluster);
      await cluster.pod("waits", { spec: rules("podAffinity") });
      await cluster.settled();
      await cluster.placed("web", "n3", { labels: web });
      await cluster.untilPlaced("waits");
    },
  },
];
