import { ifFound } from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim, type Pod } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { until } from "../../wait.ts";
import type { ScenarioCluster } from "./scenario-cluster.ts";
import { hostname, threeNodes, zone, type Scenario } from "./scenario.ts";

function using(claimName: string, more: Partial<Pod["spec"]> = {}): { readonly spec: Partial<Pod["spec"]> } {
  return { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }], ...more } };
}

async function claim(
  { admin }: ScenarioCluster,
  name: string,
  spec: Partial<PersistentVolumeClaim["spec"]> = {},
): Promise<void> {
  const resources = { requests: { storage: "1Gi" } };
  await admin.of(PersistentVolumeClaim).create({
    metadata: { namespace: "default", name },
    spec: { accessModes: ["ReadWriteOnce"], resources, ...spec },
  });
}

interface VolumeSetup {
  readonly storageClassName?: string;
  readonly size?: string;
  readonly host?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

async function volume({ admin }: ScenarioCluster, name: string, setup: VolumeSetup = {}): Promise<void> {
  const { storageClassName = "", size = "2Gi", host, labels } = setup;
  const nodeSelectorTerms = [
    { matchExpressions: [{ key: hostname, operator: "In", values: host === undefined ? [] : [host] }] },
  ];
  await admin.of(PersistentVolume).create({
    metadata: { name, labels },
    spec: {
      storageClassName,
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: size },
      hostPath: { path: `/tmp/${name}` },
      ...(host !== undefined && { nodeAffinity: { required: { nodeSelectorTerms } } }),
    },
  });
  await admin.of(PersistentVolume).status.patch({ name }, { merge: { status: { phase: "Available" } } });
}

async function storageClass({ admin }: ScenarioCluster, spec: Partial<StorageClass> = {}): Promise<void> {
  await admin.of(StorageClass).create({
    metadata: { name: "local" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
    ...spec,
  });
}

async function untilClaimed({ admin }: ScenarioCluster, name: string): Promise<void> {
  await until(`${name} is someone's`, async () => {
    const found = await ifFound(admin.of(PersistentVolume).get({ name }));
    return found?.spec?.claimRef !== undefined;
  });
}

/** Claims, volumes, and where they are. */
export const volumeScenarios: readonly Scenario[] = [
  {
    name: "claims that are missing, unbound, lost or going",
    async play(cluster) {
      await cluster.node("n1");
      await claim(cluster, "unbound", { storageClassName: "" });
      await claim(cluster, "lost", { storageClassName: "", volumeName: "none" });
      const lost = { namespace: "default", name: "lost" };
      await cluster.admin
        .of(PersistentVolumeClaim)
        .status.patch(lost, { merge: { status: { phase: "Lost" } } });
      await claim(cluster, "going", { storageClassName: "" });
      const going = { namespace: "default", name: "going" };
      await cluster.admin.of(PersistentVolumeClaim).delete(going);
      for (const name of ["missing", "unbound", "lost", "going"]) await cluster.pod(name, using(name));
      await cluster.pod("ephemeral", {
        spec: {
          volumes: [
            {
              name: "data",
              ephemeral: {
                volumeClaimTemplate: {
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
                },
              },
            },
          ],
        },
      });
    },
  },
  {
    name: "the pod follows its volume",
    async play(cluster) {
      await threeNodes(cluster);
      await claim(cluster, "there", { storageClassName: "" });
      await claim(cluster, "gone", { storageClassName: "" });
      await volume(cluster, "v1", { host: "n2" });
      await volume(cluster, "v2", { host: "n9" });
      await cluster.bindClaim("there", "v1");
      await cluster.bindClaim("gone", "v2");
      await cluster.pod("follows", using("there"));
      await cluster.pod("stays", using("gone"));
      await claim(cluster, "void", { storageClassName: "" });
      await cluster.bindClaim("void", "v9");
      await cluster.pod("void", using("void"));
    },
  },
  {
    name: "volumes of another zone",
    async play(cluster) {
      await threeNodes(cluster);
      await claim(cluster, "a", { storageClassName: "" });
      await claim(cluster, "c", { storageClassName: "" });
      await volume(cluster, "v1", { labels: { [zone]: "b" } });
      await volume(cluster, "v2", { labels: { [zone]: "c" } });
      await cluster.bindClaim("a", "v1");
      await cluster.bindClaim("c", "v2");
      await cluster.pod("there", using("a"));
      await cluster.pod("nowhere", using("c"));
    },
  },
  {
    name: "a claim that only one pod may use",
    async play(cluster) {
      await cluster.node("n1");
      await claim(cluster, "alone", { storageClassName: "", accessModes: ["ReadWriteOncePod"] });
      await volume(cluster, "v1");
      await cluster.bindClaim("alone", "v1");
      await cluster.placed("first", "n1", using("alone"));
      await cluster.pod("second", using("alone"));
      await cluster.settled();
      await cluster.end("first");
      await cluster.untilPlaced("second");
    },
  },
  {
    name: "the smallest volume that fits is given to a claim that waits for its pod",
    async play(cluster) {
      await threeNodes(cluster);
      await storageClass(cluster);
      await volume(cluster, "small", { storageClassName: "local", size: "512Mi", host: "n2" });
      await volume(cluster, "fits", { storageClassName: "local", size: "2Gi", host: "n2" });
      await volume(cluster, "large", { storageClassName: "local", size: "5Gi", host: "n2" });
      await claim(cluster, "data", { storageClassName: "local" });
      await cluster.pod("p", using("data"));
      await untilClaimed(cluster, "fits");
      await cluster.bindClaim("data", "fits");
      await cluster.untilPlaced("p");
    },
  },
  {
    name: "no volume is left for a claim that waits for its pod",
    async play(cluster) {
      await threeNodes(cluster);
      await storageClass(cluster);
      await volume(cluster, "small", { storageClassName: "local", size: "512Mi", host: "n2" });
      await claim(cluster, "data", { storageClassName: "local" });
      await cluster.pod("p", using("data"));
      await cluster.settled();
      await volume(cluster, "fits", { storageClassName: "local", host: "n3" });
      await untilClaimed(cluster, "fits");
      await cluster.bindClaim("data", "fits");
      await cluster.untilPlaced("p");
    },
  },
  {
    name: "a volume is to be made where the pod can be",
    async play(cluster) {
      await threeNodes(cluster);
      const values = ["b"];
      const allowedTopologies = [{ matchLabelExpressions: [{ key: zone, values }] }];
      await storageClass(cluster, { provisioner: "example.com/made", allowedTopologies });
      await claim(cluster, "data", { storageClassName: "local" });
      await cluster.pod("p", using("data"));
      await until("the claim has its node", async () => {
        const { claims } = await cluster.outcome();
        return JSON.stringify(claims).includes("selected-node");
      });
      await claim(cluster, "elsewhere", { storageClassName: "local" });
      await cluster.pod("q", using("elsewhere", { nodeSelector: { [zone]: "a" } }));
      await volume(cluster, "made", { storageClassName: "local", host: "n3" });
      await cluster.bindClaim("data", "made");
      await cluster.untilPlaced("p");
    },
  },
];
