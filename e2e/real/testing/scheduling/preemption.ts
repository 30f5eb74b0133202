import { Pod } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import { until } from "../../wait.ts";
import type { PodSetup, ScenarioCluster } from "./scenario-cluster.ts";
import { hostname, zone, type Scenario } from "./scenario.ts";

async function priorities({ admin }: ScenarioCluster): Promise<void> {
  const classes = admin.of(PriorityClass);
  await classes.create({ metadata: { name: "low" }, value: 10 });
  await classes.create({ metadata: { name: "middle" }, value: 100 });
  await classes.create({ metadata: { name: "high" }, value: 1000 });
  await classes.create({ metadata: { name: "polite" }, value: 1000, preemptionPolicy: "Never" });
}

function of(priorityClassName: string, cpu: string, more: PodSetup = {}): PodSetup {
  return { ...more, requests: { cpu }, spec: { ...more.spec, priorityClassName } };
}

async function untilLeaving({ admin }: ScenarioCluster, name: string): Promise<void> {
  await until(`${name} is leaving`, async () => {
    const { metadata } = await admin.of(Pod).get({ namespace: "default", name });
    return metadata.deletionTimestamp !== undefined;
  });
}

/** Pods that make others leave. */
export const preemptionScenarios: readonly Scenario[] = [
  {
    name: "the least important pods leave, and no more than needed",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1");
      await cluster.node("n2");
      await cluster.placed("middle", "n1", of("middle", "3"));
      await cluster.placed("low", "n2", of("low", "2"));
      await cluster.placed("small", "n2", of("low", "500m"));
      await cluster.pod("p", of("high", "3"));
      await untilLeaving(cluster, "low");
      await cluster.settled();
      await cluster.end("low");
      await cluster.untilPlaced("p");
    },
  },
  {
    name: "the pod that is promised a node waits for it, and others leave it the room",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1");
      await cluster.placed("low", "n1", of("low", "3"));
      await cluster.pod("p", of("high", "3"));
      await untilLeaving(cluster, "low");
      await cluster.pod("later", of("middle", "1"));
      await until("the other is refused", async () => {
        const { events } = await cluster.outcome();
        return events.some((text) => text.startsWith("later: Warning FailedScheduling"));
      });
    },
  },
  {
    name: "a disruption budget sends it to another node",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1");
      await cluster.node("n2");
      const labels = { app: "guarded" };
      await cluster.admin.of(PodDisruptionBudget).create({
        metadata: { namespace: "default", name: "guard" },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
      const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
      await cluster.admin
        .of(PodDisruptionBudget)
        .status.patch({ namespace: "default", name: "guard" }, { merge: { status } });
      await cluster.placed("guarded", "n1", of("low", "3", { labels }));
      await cluster.placed("middle", "n2", of("middle", "3"));
      await cluster.pod("p", of("high", "3"));
      await untilLeaving(cluster, "middle");
    },
  },
  {
    name: "a disruption budget that cannot be kept",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1");
      const labels = { app: "guarded" };
      await cluster.admin.of(PodDisruptionBudget).create({
        metadata: { namespace: "default", name: "guard" },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
      await cluster.placed("guarded", "n1", of("low", "3", { labels }));
      await cluster.pod("p", of("high", "3"));
      await untilLeaving(cluster, "guarded");
    },
  },
  {
    name: "nobody leaves for polite pods, equals, or in vain",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1");
      await cluster.node("n2", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } });
      await cluster.node("n3", { allocatable: { cpu: "1" } });
      await cluster.placed("middle", "n1", of("middle", "3"));
      await cluster.placed("low", "n3", of("low", "500m"));
      await cluster.pod("polite", of("polite", "2"));
      await cluster.pod("equal", of("middle", "2"));
      await cluster.pod("vain", of("high", "5"));
      await cluster.pod("elsewhere", of("high", "2", { spec: { nodeSelector: { [hostname]: "n2" } } }));
    },
  },
  {
    name: "what stands in the way after all have left",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1");
      await cluster.placed("rock", "n1", of("high", "2"));
      await cluster.placed("low", "n1", of("low", "1"));
      await cluster.pod("p", of("high", "3"));
    },
  },
  {
    name: "pods leave for the sake of ports, rules and spread",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1", { labels: { [zone]: "a" } });
      const ports = [{ containerPort: 80, hostPort: 8080 }];
      await cluster.placed("port", "n1", of("low", "100m", { ports }));
      await cluster.placed("web", "n1", of("low", "100m", { labels: { app: "web" } }));
      await cluster.placed("other", "n1", of("low", "100m"));
      await cluster.pod("wants-port", of("high", "100m", { ports }));
      await untilLeaving(cluster, "port");
      await cluster.pod("wants-peace", {
        ...of("high", "100m"),
        spec: {
          priorityClassName: "high",
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: zone, labelSelector: { matchLabels: { app: "web" } } },
              ],
            },
          },
        },
      });
      await untilLeaving(cluster, "web");
    },
  },
  {
    name: "of equal victims those leave that began last",
    async play(cluster) {
      await priorities(cluster);
      await cluster.node("n1");
      await cluster.node("n2");
      await cluster.placed("old", "n1", of("low", "3"));
      await cluster.placed("young", "n2", of("low", "3"));
      const startTime = "2026-06-01T00:00:00Z";
      const key = { namespace: "default", name: "young" };
      await cluster.admin.of(Pod).status.patch(key, { merge: { status: { startTime } } });
      await cluster.pod("p", of("high", "3"));
      await untilLeaving(cluster, "young");
    },
  },
];
