import { realClock, seededRandom, statusOf } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApiServer, type ApiServer } from "../api-server.ts";
import type { ApiObject, Resource, StoredApiObject } from "../registry/types.ts";

let server: ApiServer;
let close: () => Promise<void>;

beforeEach(async () => {
  const store = createMemoryStore({ clock: realClock });
  server = createApiServer({ store, clock: realClock, random: seededRandom(1), defaultRoles: false });
  await server.start();
  close = async () => {
    await server.close();
    await store.close();
  };
  await create("ServiceAccount", { metadata: { name: "default", namespace: "default" } });
});

afterEach(async () => {
  await close();
});

function resourceOf(kind: string): Resource {
  const found = server.registry.all().find((resource) => resource.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} is served`);
  return found;
}

async function create(kind: string, body: Omit<ApiObject, "apiVersion" | "kind">): Promise<StoredApiObject> {
  const { group, version } = resourceOf(kind);
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return await server.objects.create(resourceOf(kind), { apiVersion, kind, ...body } as ApiObject);
}

const key = { namespace: "default", name: "a" };
const podBody = {
  metadata: { ...key },
  spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "c:1" }] },
};

async function send(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const door = server.doorFor({ name: "admin", groups: ["system:masters"] });
  const response = await door.handle({
    method,
    path,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return {
    status: response.status,
    body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
  };
}

const pods = "/api/v1/namespaces/default/pods";

describe("pods", () => {
  test("a binding gives one its node, once, and moves no generation", async () => {
    await create("Pod", podBody);
    const binding = { metadata: { name: "a" }, target: { kind: "Node", name: "n1" } };
    expect(await send("POST", `${pods}/a/binding`, binding)).toMatchObject({ status: 201 });
    expect(server.objects.get(resourceOf("Pod"), key)).toMatchObject({
      metadata: { generation: 1 },
      spec: { nodeName: "n1" },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    const again = await send("POST", `${pods}/a/binding`, binding);
    expect([again.status, again.body["message"]]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
    ]);
  });

  test("a binding for another pod of the name is refused", async () => {
    await create("Pod", podBody);
    const binding = { metadata: { name: "a", uid: "other" }, target: { name: "n1" } };
    expect(await send("POST", `${pods}/a/binding`, binding)).toMatchObject({ status: 409 });
    expect(server.objects.get(resourceOf("Pod"), key)?.["spec"]).not.toHaveProperty("nodeName");
  });

  test("no other writer can bind one", async () => {
    await create("Pod", podBody);
    const patch = { spec: { nodeName: "n1" } };
    const headers = { "content-type": "application/merge-patch+json" };
    expect(await send("PATCH", `${pods}/a`, patch, headers)).toMatchObject({ status: 422 });
  });

  test("one on a node stays for its grace period, an unbound one goes at once", async () => {
    await create("Pod", { ...podBody, spec: { ...podBody.spec, nodeName: "n1" } });
    await server.objects.delete(resourceOf("Pod"), key);
    expect(server.objects.get(resourceOf("Pod"), key)?.metadata).toMatchObject({
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    await server.objects.delete(resourceOf("Pod"), key, { gracePeriodSeconds: 0 });
    expect(server.objects.get(resourceOf("Pod"), key)).toBeUndefined();
    await create("Pod", podBody);
    await server.objects.delete(resourceOf("Pod"), key);
    expect(server.objects.get(resourceOf("Pod"), key)).toBeUndefined();
  });

  test("an eviction deletes one", async () => {
    await create("Pod", podBody);
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };
    expect(await send("POST", `${pods}/a/eviction`, eviction)).toMatchObject({ status: 201 });
    expect(server.objects.get(resourceOf("Pod"), key)).toBeUndefined();
    expect(await send("POST", `${pods}/a/eviction`, eviction)).toMatchObject({ status: 404 });
  });
});

describe("namespaces", () => {
  const namespace = { name: "b" };

  test("one stays Terminating until its content is finalized", async () => {
    await create("Namespace", { metadata: { name: "b" } });
    await server.objects.delete(resourceOf("Namespace"), namespace);
    const held = server.objects.get(resourceOf("Namespace"), namespace);
    expect(held).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Terminating" } });
    expect(held?.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
    await send("PUT", "/api/v1/namespaces/b/finalize", { ...held, spec: { finalizers: [] } });
    expect(server.objects.get(resourceOf("Namespace"), namespace)).toBeUndefined();
  });

  test.each(["default", "kube-system", "kube-public"])("%s is immortal", async (name) => {
    const refusal = await server.objects.delete(resourceOf("Namespace"), { name }).catch(statusOf);
    expect(refusal).toMatchObject({
      code: 403,
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    });
  });
});

describe("generations", () => {
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const merge = { "content-type": "application/merge-patch+json" };

  test.each([
    ["the spec moves it", "", { spec: { replicas: 3 } }, 2],
    ["annotations move it", "", { metadata: { annotations: { a: "b" } } }, 2],
    ["labels do not", "", { metadata: { labels: { a: "b" } } }, 1],
    ["the status does not", "/status", { status: { replicas: 1 } }, 1],
    ["annotations written with the status do not", "/status", { metadata: { annotations: { a: "b" } } }, 1],
  ])("of a deployment: %s", async (_name, path, patch, generation) => {
    const template = {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "c", image: "c" }] },
    };
    await create("Deployment", {
      metadata: { ...key },
      spec: { selector: { matchLabels: { app: "a" } }, template },
    });
    const { body } = await send("PATCH", `${deployments}/a${path}`, patch, merge);
    expect(body["metadata"]).toMatchObject({ generation });
  });
});

test("the service kubernetes has the first address of the range", () => {
  const service = server.objects.get(resourceOf("Service"), { namespace: "default", name: "kubernetes" });
  expect(service).toMatchObject({
    spec: { clusterIP: "10.96.0.1", ports: [{ port: 443, targetPort: 6443 }] },
  });
});
