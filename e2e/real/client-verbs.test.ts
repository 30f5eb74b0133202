import { connect } from "@kedge/client";
import { isConflict, isExpired, isInvalid, isNotFound, resourceVersion, uid } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Node, Pod, Secret, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { useOracle } from "./testing/use-oracle.ts";

const at = useOracle();

const container = { name: "c", image: "example.com/app:1" };
const selector = { matchLabels: { app: "web" } };
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };

describe("typed verbs", () => {
  it("reads back what it created, with the server's defaults", async () => {
    const deployment = await at.client
      .of(Deployment)
      .create({ metadata: at.key("web"), spec: { selector, template } });
    expect(deployment).toMatchObject({
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { replicas: 1, progressDeadlineSeconds: 600 },
    });
    expect(await at.client.of(Deployment).get(at.key("web"))).toEqual(deployment);
  });

  it("replace refuses a stale version, and keeps fields that no type knows", async () => {
    const maps = at.client.of(ConfigMap);
    const first = await maps.create({ metadata: at.key("a"), data: { n: "1" } });
    const second = await maps.replace({ ...first, data: { n: "2" } });
    expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    const stale = await maps.replace({ ...first, data: { n: "3" } }).catch((error: unknown) => error);
    expect(isConflict(stale)).toBe(true);
    expect(stale).toMatchObject({
      message: expect.stringContaining("the object has been modified") as string,
    });
  });

  it("patches: merge, JSON and strategic", async () => {
    const pods = at.client.of(Pod);
    await pods.create({
      metadata: { ...at.key("p"), labels: { a: "1" } },
      spec: { containers: [container] },
    });
    await pods.patch(at.key("p"), { merge: { metadata: { labels: { a: null, b: "2" } } } });
    await pods.patch(at.key("p"), { json: [{ op: "add", path: "/metadata/labels/c", value: "3" }] });
    const image = { spec: { containers: [{ name: "c", image: "example.com/app:2" }] } };
    const pod = await pods.patch(at.key("p"), { strategic: image });
    expect(pod.metadata.labels).toEqual({ b: "2", c: "3" });
    expect(pod.spec.containers).toMatchObject([
      { name: "c", image: "example.com/app:2", imagePullPolicy: "IfNotPresent" },
    ]);
    const test = pods.patch(at.key("p"), { json: [{ op: "test", path: "/metadata/labels/c", value: "4" }] });
    await expect(test).rejects.toSatisfy(isInvalid);
  });

  it("dry run checks and stores nothing", async () => {
    const draft = await at.client.of(ConfigMap).create({ metadata: at.key("dry") }, { dryRun: true });
    expect(draft.metadata.uid).toBeDefined();
    await expect(at.client.of(ConfigMap).get(at.key("dry"))).rejects.toSatisfy(isNotFound);
  });

  it("deletes only the very object that is meant", async () => {
    const maps = at.client.of(ConfigMap);
    const { metadata } = await maps.create({ metadata: at.key("a") });
    await expect(maps.delete(at.key("a"), { preconditions: { uid: uid("another") } })).rejects.toSatisfy(
      isConflict,
    );
    const stale = { uid: metadata.uid, resourceVersion: resourceVersion("1") };
    await expect(maps.delete(at.key("a"), { preconditions: stale })).rejects.toSatisfy(isConflict);
    expect(await maps.delete(at.key("a"), { preconditions: { uid: metadata.uid } })).toBeUndefined();
  });

  it("gives the object that waits for its finalizer, and undefined when it is gone", async () => {
    const maps = at.client.of(ConfigMap);
    await maps.create({ metadata: { ...at.key("f"), finalizers: ["example.com/wait"] } });
    const waiting = await maps.delete(at.key("f"), { propagation: "Background" });
    expect(waiting?.metadata.deletionTimestamp).toBeDefined();
    await maps.patch(at.key("f"), { merge: { metadata: { finalizers: null } } });
    await expect(maps.get(at.key("f"))).rejects.toSatisfy(isNotFound);
  });

  it("deleteCollection removes what is selected", async () => {
    const maps = at.client.of(ConfigMap);
    for (const name of ["a", "b", "c"])
      await maps.create({ metadata: { ...at.key(name), labels: { keep: String(name === "c") } } });
    await maps.deleteCollection({ namespace: at.namespace, labelSelector: { keep: "false" } });
    expect(
      (await maps.list({ namespace: at.namespace }).all()).items.map(({ metadata }) => metadata.name),
    ).toEqual(["c"]);
  });

  it("status is written apart from the rest", async () => {
    const nodes = at.client.of(Node);
    const name = `${at.namespace}-node`;
    await nodes.create({ metadata: { name }, spec: {} });
    const node = await nodes.status.patch(
      { name },
      { merge: { spec: { unschedulable: true }, status: { capacity: { cpu: "4" } } } },
    );
    expect(node.status?.capacity).toEqual({ cpu: "4" });
    expect(node.spec.unschedulable).toBeUndefined();
    await nodes.delete({ name });
  });

  it("scale reads and writes the number of replicas", async () => {
    await at.client.of(Deployment).create({ metadata: at.key("web"), spec: { selector, template } });
    const { scale } = at.client.of(Deployment);
    const before = await scale.get(at.key("web"));
    expect(before.spec.replicas).toBe(1);
    await scale.replace({ ...before, spec: { replicas: 4 } });
    await scale.patch(at.key("web"), { merge: { spec: { replicas: 5 } } });
    expect((await at.client.of(Deployment).get(at.key("web"))).spec.replicas).toBe(5);
  });

  it("binds, evicts, and is told when a disruption budget forbids it", async () => {
    const pods = at.client.of(Pod);
    await pods.create({
      metadata: { ...at.key("p"), labels: { app: "web" } },
      spec: { containers: [container] },
    });
    await pods.binding.create(at.key("p"), "node-1");
    expect((await pods.get(at.key("p"))).spec.nodeName).toBe("node-1");
    await expect(pods.binding.create(at.key("p"), "node-2")).rejects.toSatisfy(isConflict);
    await pods.status.patch(at.key("p"), {
      merge: { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
    });
    await at.client
      .of(PodDisruptionBudget)
      .create({ metadata: at.key("b"), spec: { minAvailable: 1, selector } });
    const forbidden = pods.eviction.create(at.key("p"), { timeout: 5_000 });
    await expect(forbidden).rejects.toMatchObject({ code: 429, reason: "TooManyRequests" });
    await at.client.of(PodDisruptionBudget).delete(at.key("b"));
    await pods.eviction.create(at.key("p"), { gracePeriodSeconds: 0 });
    await expect(pods.get(at.key("p"))).rejects.toSatisfy(isNotFound);
  });

  it("logs, exec and port-forward of a pod without a node say so", async () => {
    const pods = at.client.of(Pod);
    await pods.create({ metadata: at.key("p"), spec: { containers: [container] } });
    await expect(pods.log.text(at.key("missing"))).rejects.toSatisfy(isNotFound);
    await expect(pods.log.text(at.key("p"), { container: "other" })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining("container other is not valid") as string,
    });
    expect(await pods.log.text(at.key("p"))).toBe("");
    await expect(pods.exec.run(at.key("p"), { command: ["date"] })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining("does not have a host assigned") as string,
    });
    await expect(pods.portforward.connect(at.key("p"), { port: 80 })).rejects.toMatchObject({ code: 400 });
  });

  it("issues tokens of service accounts, and they work", async () => {
    const { status } = await at.client
      .of(ServiceAccount)
      .token.create(at.key("default"), { expirationSeconds: 600 });
    expect(status.token?.split(".")).toHaveLength(3);
    const config = {
      ...at.oracle.adminConfig,
      credentials: {
        current: () => Promise.resolve({ authorization: `Bearer ${status.token ?? ""}` }),
        refused: () => false,
      },
    };
    const asAccount = connect(config);
    onTestFinished(() => asAccount.close());
    await expect(asAccount.of(Secret).list({ namespace: at.namespace }).all()).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining(`system:serviceaccount:${at.namespace}:default`) as string,
    });
  });
});

describe("kinds that are known only at run time", () => {
  it("serves a custom resource as soon as its definition is established", async () => {
    const group = `${at.namespace}.example.com`;
    const schema = {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { size: { type: "integer", minimum: 1, default: 3 } } },
          status: { type: "object", properties: { ready: { type: "boolean" } } },
        },
      },
    };
    const names = {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
      shortNames: ["wd"],
    };
    const versions = [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }];
    await expect(at.client.discovery.kind({ group, kind: "Widget" })).rejects.toMatchObject({
      code: "USAGE",
    });
    await at.client.of(CustomResourceDefinition).create({
      metadata: { name: `widgets.${group}` },
      spec: { group, names, scope: "Namespaced", versions },
    });
    const kind = await expect
      .poll(async () => {
        at.client.discovery.forget();
        return at.client.discovery.kind({ group, kind: "Widget" });
      })
      .toMatchObject({ plural: "widgets", subresources: ["status"], shortNames: ["wd"] })
      .then(() => at.client.discovery.kindNamed(`wd.v1.${group}`));
    const widgets = at.client.of(kind);
    const created = await widgets.create({ metadata: at.key("w"), spec: {} });
    expect(created).toMatchObject({ kind: "Widget", spec: { size: 3 }, metadata: { generation: 1 } });
    const updated = await widgets.status.patch(at.key("w"), { merge: { status: { ready: true } } });
    expect(updated).toMatchObject({ status: { ready: true }, metadata: { generation: 1 } });
    const invalid = await widgets
      .patch(at.key("w"), { merge: { spec: { size: 0 } } })
      .catch((error: unknown) => error);
    expect(invalid).toMatchObject({ code: 422, details: { causes: [{ field: "spec.size" }] } });
    await expect(widgets.patch(at.key("w"), { strategic: {} })).rejects.toMatchObject({ code: 415 });
    // The server's memory of this kind begins with its definition.
    const tooOld = Array.fromAsync(
      widgets.watch({ namespace: at.namespace, resourceVersion: "1", timeoutSeconds: 5 }),
    );
    await expect(tooOld).rejects.toSatisfy(isExpired);
    await at.client.of(CustomResourceDefinition).delete({ name: `widgets.${group}` });
  });

  it("discovers the same kinds in the aggregated and in the legacy form", async () => {
    const aggregated = await at.client.discovery.served();
    const core = (await at.client.getJson("/api/v1")) as {
      resources: { name: string; kind: string; verbs: string[] }[];
    };
    const legacy = core.resources
      .filter(({ name }) => !name.includes("/"))
      .map(({ name, kind }) => `${name} ${kind}`);
    const ours = aggregated.find(({ group, version }) => group === "" && version === "v1")?.kinds ?? [];
    expect(ours.map(({ plural, kind }) => `${plural} ${kind}`).toSorted()).toEqual(legacy.toSorted());
  });
});
