import { describe, expect, test } from "vitest";
import type { ApiObject, StoredApiObject } from "../registry/types.ts";
import { created, testContext, testResources } from "../kinds/testing/write-context.ts";

const resourceFor = testResources();

function account(name: string, fields: Record<string, unknown> = {}): ApiObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "ns" }, ...fields };
}

async function pod(spec: Record<string, unknown>, stored: readonly StoredApiObject[]): Promise<ApiObject> {
  const containers = [{ name: "c", image: "c:1" }];
  const context = testContext(stored, resourceFor);
  const body = { metadata: { name: "a", namespace: "ns" }, spec: { containers, ...spec } };
  return await created(resourceFor("Pod"), body, context);
}

describe("service accounts of pods", () => {
  test("a pod gets the volume with its token, mounted in every container", async () => {
    const { spec } = await pod({ initContainers: [{ name: "i", image: "i:1" }] }, [account("default")]);
    const mount = {
      name: expect.stringMatching(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/u) as string,
      readOnly: true,
      mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    };
    expect(spec).toMatchObject({
      containers: [{ volumeMounts: [mount] }],
      initContainers: [{ volumeMounts: [mount] }],
      volumes: [{ projected: { defaultMode: 420 } }],
    });
  });

  test("neither when the account, nor when the pod says so", async () => {
    const silent = await pod({ serviceAccountName: "silent" }, [
      account("silent", { automountServiceAccountToken: false }),
    ]);
    expect(silent["spec"]).not.toHaveProperty("volumes");
    const own = await pod({ automountServiceAccountToken: false }, [account("default")]);
    expect(own["spec"]).not.toHaveProperty("volumes");
  });

  test("one that is not there is refused", async () => {
    await expect(pod({ serviceAccountName: "x" }, [])).rejects.toThrow(
      'pods "a" is forbidden: error looking up service account ns/x: serviceaccount "x" not found',
    );
  });
});

test("the account default of a new namespace is waited for", async () => {
  const stored: ApiObject[] = [];
  const context = testContext(stored, resourceFor);
  const body = {
    metadata: { name: "a", namespace: "ns" },
    spec: { containers: [{ name: "c", image: "c:1" }] },
  };
  const waiting = created(resourceFor("Pod"), body, context);
  context.clock.timer(500, () => stored.push(account("default")));
  expect(await context.clock.runUntil(waiting)).toMatchObject({ spec: { serviceAccountName: "default" } });
});

describe("priorities of pods", () => {
  const high = {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "high" },
    value: 7,
  };

  test("that of the class", async () => {
    const { spec } = await pod({ priorityClassName: "high" }, [account("default"), high]);
    expect(spec).toMatchObject({ priority: 7, priorityClassName: "high" });
  });

  test("that of the default class", async () => {
    const { spec } = await pod({}, [account("default"), { ...high, globalDefault: true }]);
    expect(spec).toMatchObject({ priority: 7, priorityClassName: "high" });
  });

  test.each([
    [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
    [
      { priority: 5 },
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
    ],
  ])("%o is refused", async (spec, why) => {
    await expect(pod(spec, [account("default")])).rejects.toThrow(`pods "a" is forbidden: ${why}`);
  });
});

describe("classes of claims", () => {
  const storageClass = (name: string, creationTimestamp: string): ApiObject => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: {
      name,
      creationTimestamp,
      annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
    },
  });
  const classes = [storageClass("old", "2026-01-01T00:00:00Z"), storageClass("new", "2026-02-01T00:00:00Z")];

  test.each([
    ["the newest default", {}, "new"],
    ["none when it asks for none", { storageClassName: "" }, ""],
    ["its own", { storageClassName: "mine" }, "mine"],
  ])("%s", async (_name, spec, expected) => {
    const body = { metadata: { name: "a", namespace: "ns" }, spec };
    const claim = await created(
      resourceFor("PersistentVolumeClaim"),
      body,
      testContext(classes, resourceFor),
    );
    expect(claim).toMatchObject({
      metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
      spec: { storageClassName: expected },
    });
  });
});

describe("new nodes", () => {
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const taintsOf = async (spec: Record<string, unknown>): Promise<unknown> => {
    const body = { metadata: { name: "n" }, spec };
    const node = await created(resourceFor("Node"), body, testContext([], resourceFor));
    return (node["spec"] as { readonly taints?: unknown }).taints;
  };

  test("take no pods until they are seen to be ready", async () => {
    const own = { key: "team", value: "a", effect: "NoExecute" };
    expect(await taintsOf({})).toEqual([notReady]);
    expect(await taintsOf({ taints: [own] })).toEqual([own, notReady]);
    expect(await taintsOf({ taints: [notReady, own] })).toEqual([notReady, own]);
  });
});
