import { describe, expect, test } from "vitest";
import { created, testContext, testResources } from "../testing/write-context.ts";

const resourceFor = testResources();
const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "ns" } };

async function specOf(kind: string, body: Record<string, unknown>): Promise<unknown> {
  const metadata = { name: "a", namespace: "ns" };
  const object = await created(resourceFor(kind), { metadata, ...body }, testContext([account], resourceFor));
  return object["spec"];
}

/** What every container gets. */
const plain = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

const podDefaults = {
  dnsPolicy: "ClusterFirst",
  restartPolicy: "Always",
  schedulerName: "default-scheduler",
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};

describe("defaults", () => {
  test.each([
    ["web", "Always"],
    ["web:latest", "Always"],
    ["web:1.2", "IfNotPresent"],
    ["registry.example.com:5000/web", "Always"],
    ["registry.example.com:5000/web:1", "IfNotPresent"],
    [`web@sha256:${"1".repeat(64)}`, "IfNotPresent"],
  ])("the image %s is pulled %s", async (image, imagePullPolicy) => {
    const spec = await specOf("Pod", {
      spec: { automountServiceAccountToken: false, containers: [{ name: "c", image }] },
    });
    expect(spec).toMatchObject({ containers: [{ ...plain, name: "c", image, imagePullPolicy }] });
  });

  test("a pod gets policies, account, priority and tolerations", async () => {
    const containers = [{ name: "c", image: "c:1" }];
    expect(await specOf("Pod", { spec: { automountServiceAccountToken: false, containers } })).toEqual({
      ...podDefaults,
      automountServiceAccountToken: false,
      containers: [{ ...plain, name: "c", image: "c:1", imagePullPolicy: "IfNotPresent" }],
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
      priority: 0,
      serviceAccount: "default",
      serviceAccountName: "default",
      tolerations: ["not-ready", "unreachable"].map((taint) => ({
        effect: "NoExecute",
        key: `node.kubernetes.io/${taint}`,
        operator: "Exists",
        tolerationSeconds: 300,
      })),
    });
  });

  test("a template gets what is for templates only, and keeps no zero that means nothing", async () => {
    const containers = [
      { name: "c", image: "c:1", stdin: false, ports: [], env: [{ name: "A", value: "" }] },
    ];
    const spec = await specOf("Deployment", {
      spec: {
        replicas: 0,
        paused: false,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" }, creationTimestamp: null }, spec: { containers } },
      },
    });
    expect(spec).toEqual({
      replicas: 0,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      selector: { matchLabels: { app: "a" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: {
          ...podDefaults,
          containers: [
            { ...plain, name: "c", image: "c:1", imagePullPolicy: "IfNotPresent", env: [{ name: "A" }] },
          ],
        },
      },
    });
  });

  test("requests follow limits in pods only, and amounts are canonical", async () => {
    const limits = { cpu: "0.5", memory: "1024Mi", "example.com/x": "0.0001" };
    const containers = [{ name: "c", image: "c:1", resources: { limits, requests: { cpu: "100u" } } }];
    const canonical = { cpu: "500m", memory: "1Gi", "example.com/x": "1m" };
    expect(await specOf("Pod", { spec: { automountServiceAccountToken: false, containers } })).toMatchObject({
      containers: [{ resources: { limits: canonical, requests: { ...canonical, cpu: "1m" } } }],
    });
    const template = { metadata: {}, spec: { containers } };
    expect(await specOf("ReplicaSet", { spec: { template } })).toMatchObject({
      template: { spec: { containers: [{ resources: { requests: { cpu: "1m" } } }] } },
    });
  });

  test("volumes get modes, and an empty one is a directory", async () => {
    const volumes = [
      { name: "a" },
      { name: "b", configMap: { name: "m" } },
      { name: "c", hostPath: { path: "/x" } },
      { name: "d", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
    ];
    const containers = [{ name: "c", image: "c:1" }];
    const spec = await specOf("Pod", { spec: { automountServiceAccountToken: false, containers, volumes } });
    expect(spec).toMatchObject({
      volumes: [
        { name: "a", emptyDir: {} },
        { name: "b", configMap: { name: "m", defaultMode: 420 } },
        { name: "c", hostPath: { path: "/x", type: "" } },
        {
          name: "d",
          projected: {
            defaultMode: 420,
            sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }],
          },
        },
      ],
    });
  });

  test("a stateful set gets its policies and claims that wait", async () => {
    const spec = await specOf("StatefulSet", {
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "c:1" }] } },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    });
    expect(spec).toMatchObject({
      podManagementPolicy: "OrderedReady",
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      volumeClaimTemplates: [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          spec: { volumeMode: "Filesystem" },
          status: { phase: "Pending" },
        },
      ],
    });
  });

  test("a secret's texts become data", async () => {
    const object = await created(
      resourceFor("Secret"),
      { metadata: { name: "a" }, data: { a: "b2xk", b: "Yg==" }, stringData: { a: "new" } },
      testContext(),
    );
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "a" },
      data: { a: "bmV3", b: "Yg==" },
      type: "Opaque",
    });
  });

  test("a second time changes nothing more", async () => {
    const resource = resourceFor("Deployment");
    const template = {
      spec: { containers: [{ name: "c", image: "c", livenessProbe: { grpc: { port: 1 } } }] },
    };
    const object = await created(resource, { metadata: { name: "a" }, spec: { template } }, testContext());
    const again = structuredClone(object);
    resource.strategy.default?.(again);
    expect(again).toEqual(object);
  });
});
