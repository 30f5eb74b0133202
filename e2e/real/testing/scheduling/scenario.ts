import type { ScenarioCluster } from "./scenario-cluster.ts";

/** Something that is done on both sides alike; what becomes of it is compared. */
export interface Scenario {
  readonly name: string;
  readonly play: (cluster: ScenarioCluster) => Promise<void>;
}

/** Two namespaces beside the default one, to be selected by their labels. */
export const namespaces: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  blue: { team: "blue" },
  red: { team: "red" },
};

/** The label that zones are told by. */
export const zone = "topology.kubernetes.io/zone";
/** The label that nodes are told by. */
export const hostname = "kubernetes.io/hostname";

/** Three nodes, the first two in one zone. */
export async function threeNodes(cluster: ScenarioCluster): Promise<void> {
  await cluster.node("n1", { labels: { [zone]: "a" } });
  await cluster.node("n2", { labels: { [zone]: "a" } });
  await cluster.node("n3", { labels: { [zone]: "b" } });
}
