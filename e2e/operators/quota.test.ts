import { statusOf } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Service,
} from "@kedge/machinery/kinds/core/v1";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";

const namespace = "default";
const key = { namespace, name: "quota" };

const pod = (name: string, cpu = "100m") => ({
  metadata: { namespace, name },
  spec: { containers: [{ name: "c", image: "c:1", resources: { requests: { cpu } } }] },
});

async function limited(env: TestEnv, hard: Record<string, string>): Promise<void> {
  await env.create(ResourceQuota, { metadata: key, spec: { hard } });
  await env.eventually(ResourceQuota, key, ({ status }) => Object.keys(status?.used ?? {}).length > 0);
}

/** What is used, when it is that much. */
async function usedBy(env: TestEnv, used: Record<string, string>): Promise<unknown> {
  const isUsed = ({ status }: ResourceQuota): boolean =>
    Object.entries(used).every(([name, amount]) => status?.used?.[name] === amount);
  return (await env.eventually(ResourceQuota, key, isUsed)).status?.used;
}

it("counts what was there before, what is made, and what goes", async () => {
  await using env = await startTestEnv({ operators: [] });
  await env.create(Pod, pod("before"));
  await limited(env, { pods: "2", "requests.cpu": "1", "count/configmaps": "5" });
  expect(await usedBy(env, { pods: "1", "requests.cpu": "100m" })).toBeDefined();
  await env.create(Pod, pod("second"));
  const refused = await env.run(env.client.of(Pod).create(pod("third")).catch(statusOf));
  expect(refused).toMatchObject({
    code: 403,
    message:
      'pods "third" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=2, limited: pods=2',
  });
  await env.run(env.client.of(Pod).delete({ namespace, name: "before" }));
  expect(await usedBy(env, { pods: "1", "requests.cpu": "100m" })).toBeDefined();
  await env.create(Pod, pod("third"));
});

it("gives back what a pod used when it has ended, and what a service does not use any more", async () => {
  await using env = await startTestEnv({ operators: [] });
  await limited(env, { pods: "1", "count/pods": "9", "services.nodeports": "1" });
  await env.create(Pod, { ...pod("ends"), spec: { ...pod("ends").spec, restartPolicy: "Never" } });
  await env.create(Service, {
    metadata: { namespace, name: "s" },
    spec: { type: "NodePort", ports: [{ port: 80 }] },
  });
  expect(await usedBy(env, { pods: "1", "services.nodeports": "1" })).toBeDefined();
  await env.eventually(Pod, { namespace, name: "ends" }, ({ status }) => status?.phase === "Running");
  env.node.crash({ namespace, name: "ends" }, { exitCode: 0 });
  await env.run(
    env.client.of(Service).patch({ namespace, name: "s" }, { merge: { spec: { type: "ClusterIP" } } }),
  );
  expect(await usedBy(env, { pods: "0", "count/pods": "1", "services.nodeports": "0" })).toBeDefined();
});

it("counts objects of a custom kind, and volumes of a storage class", async () => {
  await using env = await startTestEnv({ operators: [] });
  await env.create(CustomResourceDefinition, {
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  });
  await env.untilQuiet();
  await limited(env, {
    "count/things.example.com": "3",
    "fast.storageclass.storage.k8s.io/requests.storage": "10Gi",
  });
  const things = { group: "example.com", version: "v1", kind: "Thing" };
  const kind = await env.run(env.client.discovery.kind(things));
  const thing = (name: string) => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { namespace, name },
  });
  for (const name of ["a", "b"]) await env.run(env.client.of(kind).create(thing(name)));
  await env.create(PersistentVolumeClaim, {
    metadata: { namespace, name: "v" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "fast",
      resources: { requests: { storage: "6Gi" } },
    },
  });
  expect(
    await usedBy(env, {
      "count/things.example.com": "2",
      "fast.storageclass.storage.k8s.io/requests.storage": "6Gi",
    }),
  ).toBeDefined();
  await env.run(env.client.of(kind).delete({ namespace, name: "a" }));
  expect(await usedBy(env, { "count/things.example.com": "1" })).toBeDefined();
});

it("lets a Deployment have only as many pods as there is room for, and more when there is more", async () => {
  await using env = await startTestEnv({ operators: [] });
  await limited(env, { pods: "2" });
  await env.create(Deployment, {
    metadata: { namespace, name: "web" },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "c:1" }] } },
    },
  });
  const web = { namespace, name: "web" };
  await env.eventually(Deployment, web, ({ status }) => status?.readyReplicas === 2);
  const { items } = await env.run(env.client.of(Pod).list({ namespace }).all());
  expect(items).toHaveLength(2);
  await env.run(env.client.of(ResourceQuota).patch(key, { merge: { spec: { hard: { pods: "4" } } } }));
  await env.eventually(Deployment, web, ({ status }) => status?.readyReplicas === 4);
});

it("counts again after five minutes what was charged and never made", async () => {
  await using env = await startTestEnv({ operators: [] });
  await limited(env, { configmaps: "3" });
  const map = { metadata: { namespace, name: "a" } };
  await env.create(ConfigMap, map);
  await env.run(env.client.of(ConfigMap).create(map).catch(statusOf));
  // The third is the one that was not made: every namespace has one from the start.
  expect(await usedBy(env, { configmaps: "3" })).toBeDefined();
  await env.advance("6m");
  expect(await usedBy(env, { configmaps: "2" })).toBeDefined();
});
