import { spawnSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { needs } from "../testing/needs.ts";
import { whyNoContainers } from "../node/needs.ts";

// Each trouble is made for real, all at once, and then asked about.
const troubles = `
apiVersion: v1
kind: Pod
metadata: { name: big }
spec:
  containers: [{ name: app, image: "redis:7.0", resources: { requests: { cpu: "900" } } }]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { storageClassName: fast, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: unused }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: { name: no-class }
spec:
  containers: [{ name: app, image: "redis:7.0" }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
---
apiVersion: v1
kind: Pod
metadata: { name: no-image }
spec:
  containers: [{ name: app, image: "example.com/nobody/has-this:1" }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: crashing }
spec:
  selector: { matchLabels: { app: crashing } }
  template:
    metadata: { labels: { app: crashing } }
    spec:
      containers:
        - { name: app, image: "redis:7.0", command: [sh, -c, "echo the disk is on fire; exit 3"] }
---
apiVersion: v1
kind: Pod
metadata: { name: no-secret }
spec:
  containers:
    - name: app
      image: "redis:7.0"
      env: [{ name: TOKEN, valueFrom: { secretKeyRef: { name: missing, key: token } } }]
---
apiVersion: v1
kind: Pod
metadata: { name: no-probe, labels: { app: no-probe } }
spec:
  containers:
    - name: app
      image: "redis:7.0"
      command: [sleep, "1000"]
      readinessProbe: { exec: { command: ["false"] }, periodSeconds: 1 }
---
apiVersion: v1
kind: Service
metadata: { name: behind }
spec: { selector: { app: no-probe }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Service
metadata: { name: nobody }
spec: { selector: { app: nobody }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: deaf }
spec:
  terminationGracePeriodSeconds: 600
  containers: [{ name: app, image: "redis:7.0", command: [sh, -c, "trap '' TERM; while :; do sleep 1; done"] }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: held, finalizers: [example.com/nobody] }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: unplugged }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  storageClassName: disks
  hostPath: { path: /nowhere/unplugged, type: Directory }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: unplugged }
spec: { storageClassName: disks, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: { name: stuck-volume }
spec:
  containers:
    - { name: app, image: "redis:7.0", volumeMounts: [{ name: data, mountPath: /data }] }
  volumes: [{ name: data, persistentVolumeClaim: { claimName: unplugged } }]
---
apiVersion: v1
kind: Pod
metadata: { name: greedy }
spec:
  containers:
    - name: app
      image: "busybox:1"
      command: [tail, /dev/zero]
      resources: { limits: { memory: 16Mi } }
---
apiVersion: v1
kind: Service
metadata: { name: taken }
spec: { selector: { app: somebody-elses }, ports: [{ port: 80 }] }
---
apiVersion: redis.github.com/v1
kind: RedisInstance
metadata: { name: taken }
spec: { image: "redis:7.0", replicas: 1 }
---
apiVersion: redis.github.com/v1
kind: RedisInstance
metadata: { name: typo }
spec: { image: "redis:7.0", replicas: 1, config: { maxmemory-polcy: allkeys-lru } }
---
apiVersion: redis.github.com/v1
kind: RedisInstance
metadata: { name: no-image-redis }
spec: { image: "example.com/nobody/redis:7.0", replicas: 1 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: no-account }
spec:
  selector: { matchLabels: { app: no-account } }
  template:
    metadata: { labels: { app: no-account } }
    spec: { serviceAccountName: nobody, containers: [{ name: app, image: "redis:7.0" }] }
`;

describe("kedge why", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    for (const document of parseAllDocuments(troubles)) {
      const object = document.toJS() as { apiVersion: string; kind: string; metadata: { name: string } };
      const [version = "", group = ""] = object.apiVersion.split("/").toReversed();
      const kind = await cluster.client.discovery.kind({ group, version, kind: object.kind });
      const place = kind.scope === "Namespaced" ? { namespace: "default" } : {};
      const metadata = { ...object.metadata, ...place };
      await cluster.client.of(kind).apply({ ...object, metadata }, { fieldManager: "test" });
    }
  });
  afterAll(async () => await cluster[Symbol.asyncDispose]());

  /** What an answer lacks. Tests ask until that is nothing: a trouble may take a moment to show. */
  function lackOf(target: string, ...words: readonly string[]): () => Promise<readonly string[]> {
    return async () => {
      const { stdout, stderr, code } = await cluster.cli("why", target);
      const answer = stdout + stderr;
      const lacks = words.filter((word) => !answer.includes(word));
      if (answer.trimEnd().split("\n").length > 10) lacks.push("brevity");
      if (code !== 1) lacks.push(`code 1, not ${code}`);
      return lacks.length === 0 ? lacks : [...lacks, answer];
    };
  }

  it.each([
    ["pod/big", "Pod big cannot be scheduled", "Insufficient cpu", "ask for less in resources.requests"],
    ["pod/no-class", "PersistentVolumeClaim data wants the storage class fast, which does not exist"],
    ["pvc/unused", "waits for a pod that uses it"],
    ["pod/no-image", "has no image for container app", "example.com/nobody/has-this:1"],
    [
      "deploy/crashing",
      "crashes: container app ended with code 3",
      "log:  the disk is on fire",
      "kubectl logs",
    ],
    ["pod/no-secret", 'secret "missing" not found', "kubectl create secret generic missing"],
    ["service/behind", "Pod no-probe is not ready", "Readiness probe failed"],
    ["service/nobody", "no pod has the labels app=nobody"],
    ["redisinstance/typo", "is refused", "maxmemory-polcy", "SpecAccepted=False"],
    ["redisinstance/no-image-redis", "Pod no-image-redis-0 has no image", "example.com/nobody/redis:7.0"],
    ["pod/stuck-volume", "/nowhere/unplugged", "FailedMount"],
    ["pod/greedy", "ran out of memory in container app", "limit 16Mi", "raise resources.limits.memory"],
    ["redisinstance/taken", "Service default/taken exists and is not controlled by", "NameTaken"],
    ["deploy/no-account", "cannot create what it should", "kubectl create serviceaccount nobody"],
  ])("%s", async (target, ...words) => {
    await expect.poll(lackOf(target, ...words), { interval: 500 }).toEqual([]);
  });

  it("a pod whose program ignores SIGTERM, and an object with a finalizer that nobody takes away", async () => {
    const { client } = cluster;
    const pods = await client.discovery.kindNamed("pods");
    const isRunning = async (): Promise<unknown> =>
      (await client.of(pods).get({ namespace: "default", name: "deaf" }))["status"];
    await expect.poll(isRunning).toMatchObject({ phase: "Running" });
    await client.of(pods).delete({ namespace: "default", name: "deaf" });
    await expect
      .poll(lackOf("pod/deaf", "after it was asked to (SIGTERM): app still runs", "--grace-period=1"))
      .toEqual([]);
    const maps = await client.discovery.kindNamed("configmaps");
    await client.of(maps).delete({ namespace: "default", name: "held" });
    await expect
      .poll(lackOf("cm/held", "is held by the finalizer example.com/nobody", "kubectl patch configmap/held"))
      .toEqual([]);
  });

  it("says when nothing is wrong, what it does not know, and all of it as JSON", async () => {
    const fine = await cluster.cli("why", "ns/default");
    expect(fine).toMatchObject({ code: 0, stdout: "Namespace default is ready: nothing holds it up\n" });
    expect((await cluster.cli("why", "pod/none")).stderr).toContain('pods "none" not found');
    expect((await cluster.cli("why", "redisinstanc/typo")).stderr).toContain("redisinstances");
    const { stdout } = await cluster.cli("why", "service", "nobody", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ causes: [{ kind: "Service", name: "nobody" }] });
  });

  it("that no operator runs", async () => {
    const status = JSON.parse((await cluster.cli("status", "-o", "json")).stdout) as {
      processes: readonly { role: string; pid: number }[];
    };
    const supervisor = status.processes.find(({ role }) => role === "supervisor");
    // Nobody starts parts again now.
    spawnSync("kill", ["-STOP", String(supervisor?.pid)]);
    try {
      const operator = status.processes.find(({ role }) => role === "operator");
      spawnSync("kill", ["-KILL", String(operator?.pid)]);
      const kind = await cluster.client.discovery.kindNamed("redisinstances");
      const late = {
        metadata: { namespace: "default", name: "late" },
        spec: { image: "redis:7.0", replicas: 1 },
      };
      await cluster.client.of(kind).create(late);
      await expect
        .poll(lackOf("redisinstance/late", "no operator runs", "kedge operator --kubeconfig"))
        .toEqual([]);
    } finally {
      spawnSync("kill", ["-CONT", String(supervisor?.pid)]);
    }
  });
});
