import { realClock } from "@kedge/machinery";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import type { TestCluster } from "../cluster/testing/up-cluster.ts";
import { until } from "../soak/churn.ts";
import { claimSpec, type VolumeSources } from "./random-volume.ts";

/** Where the pods are. */
export const namespace = "default";

/** What is there before the pods come. */
export interface Stage {
  readonly sources: VolumeSources;
  /** A pod that is ready, has the claims, and has to stay as it is. */
  readonly keeper: Pod;
}

const claims = ["claim-a", "claim-b"];

/** Makes it. `hostFolder` is one of the machine that the test has made. */
export async function createStage({ client }: TestCluster, hostFolder: string): Promise<Stage> {
  const there = { namespace, name: "there" };
  await client.of(ConfigMap).create({ metadata: there, data: { key: "value" } });
  await client.of(Secret).create({ metadata: there, stringData: { key: "value" } });
  for (const name of claims)
    await client.of(PersistentVolumeClaim).create({ metadata: { namespace, name }, spec: claimSpec });
  const key = { namespace, name: "keeper" };
  await client.of(Pod).create({
    metadata: key,
    spec: {
      containers: [
        {
          name: "main",
          image: "busybox:1.35",
          command: ["sleep", "100000"],
          volumeMounts: claims.map((name) => ({ name, mountPath: `/${name}` })),
        },
      ],
      volumes: claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    },
  });
  await until({ clock: realClock }, "the pod that stays is ready", async () => {
    const { status } = await client.of(Pod).get(key);
    return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
  });
  return { sources: { hostFolder, claims }, keeper: await client.of(Pod).get(key) };
}
