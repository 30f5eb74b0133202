import { Application } from "@kedge/application-operator";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Service } from "@kedge/machinery/kinds/core/v1";
import { beforeAll, describe, expect, it } from "vitest";
import { applyFile } from "./testing/apply-file.ts";
import { whyNoContainers } from "../node/needs.ts";
import { upCluster, type TestCluster } from "./testing/up-cluster.ts";
import { needs } from "../testing/needs.ts";

const key = { namespace: "default", name: "my-app" };
const patience = { interval: 200 };

describe("the Application of examples/", needs(whyNoContainers()), () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample", "--image-alias", "nginx:latest=kedge.dev/echo:1"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  it("becomes Running", async () => {
    await applyFile(cluster.client, "examples/application-prerequisites.yaml");
    await applyFile(cluster.client, "examples/application.yaml");
    await expect
      .poll(async () => (await cluster.client.of(Application).get(key)).status, patience)
      .toMatchObject({ phase: "Running", readyReplicas: "3/3" });
  });

  it("has its children", async () => {
    const { client } = cluster;
    expect(await client.of(Deployment).get(key)).toMatchObject({
      spec: { template: { spec: { containers: [{ image: "nginx:latest" }] } } },
      status: { readyReplicas: 3 },
    });
    expect(await client.of(Service).get(key)).toMatchObject({
      spec: { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8"] },
    });
    expect(await client.of(HorizontalPodAutoscaler).get(key)).toMatchObject({
      spec: { minReplicas: 2, maxReplicas: 10, scaleTargetRef: { kind: "Deployment", name: "my-app" } },
    });
    expect(await client.of(PersistentVolumeClaim).get({ ...key, name: "my-app-app-data" })).toMatchObject({
      spec: { storageClassName: "fast-ssd", resources: { requests: { storage: "10Gi" } } },
      status: { phase: "Bound" },
    });
  });

  it("answers through its Service", async () => {
    const service = await cluster.client.of(Service).get(key);
    const statusOf = async (): Promise<number> =>
      (await fetch(`http://${service.spec?.clusterIP}/any/path`)).status;
    // The node's rules follow the endpoints.
    await expect.poll(statusOf).toBe(200);
  });
});
