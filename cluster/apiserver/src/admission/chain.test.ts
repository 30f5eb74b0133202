import type { ApiRequest } from "@kedge/machinery";
import { beforeEach, describe, expect, it } from "vitest";
import { startServer, type Answer, type TestServer } from "../testing/start-server.ts";
import { deployments, deploymentSpec, maps, pods, podSpec, startRecorded } from "./testing/recorder.ts";
import type { AdmissionPlugin } from "./types.ts";

const merge = { headers: { "content-type": "application/merge-patch+json" } };
const applied = { headers: { "content-type": "application/apply-patch+yaml" } };

type Ask = (server: TestServer) => Promise<Answer>;

const post =
  (path: string, body: unknown): Ask =>
  (server) =>
    server.ask("POST", path, body);

const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
const scale = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "d", namespace: "default" },
  spec: { replicas: 3 },
};
const podStatus = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, status: { phase: "Running" } };

const operations: readonly (readonly [name: string, ask: Ask, request: string])[] = [
  ["a create", post(maps, { metadata: { name: "b" } }), 'CREATE configmaps ConfigMap "b" new'],
  [
    "a create that is only tried",
    post(`${maps}?dryRun=All`, { metadata: { name: "b" } }),
    'CREATE configmaps ConfigMap "b" new dry',
  ],
  [
    "an update",
    (server) => server.ask("PUT", `${maps}/a`, { metadata: { name: "a" }, data: { x: "1" } }),
    'UPDATE configmaps ConfigMap "a" new old',
  ],
  [
    "a patch",
    (server) => server.ask("PATCH", `${maps}/a`, { data: { x: "1" } }, merge),
    'UPDATE configmaps ConfigMap "a" new old',
  ],
  [
    "an apply of what is there",
    (server) => server.ask("PATCH", `${maps}/a?fieldManager=m`, mapToApply("a"), applied),
    'UPDATE configmaps ConfigMap "a" new old',
  ],
  [
    "an apply of what is not there",
    (server) => server.ask("PATCH", `${maps}/b?fieldManager=m`, mapToApply("b"), applied),
    'CREATE configmaps ConfigMap "b" new',
  ],
  [
    "a status",
    (server) => server.ask("PUT", `${pods}/p/status`, podStatus),
    'UPDATE pods/status Pod "p" new old',
  ],
  [
    "a scale",
    (server) => server.ask("PUT", `${deployments}/d/scale`, scale),
    'UPDATE deployments/scale Scale "d" new old',
  ],
  [
    "a patch of a scale",
    (server) => server.ask("PATCH", `${deployments}/d/scale`, { spec: { replicas: 2 } }, merge),
    'UPDATE deployments/scale Scale "d" new old',
  ],
  [
    "an eviction, and not of the deletion that it is",
    post(`${pods}/p/eviction`, eviction),
    'CREATE pods/eviction Eviction "p" new',
  ],
  [
    "a binding, and not of the update that it is",
    post(`${pods}/p/binding`, binding),
    'CREATE pods/binding Binding "p" new',
  ],
  ["a deletion", (server) => server.ask("DELETE", `${maps}/a`), 'DELETE configmaps ConfigMap "a" old'],
  [
    "a deletion that is only tried",
    (server) => server.ask("DELETE", `${maps}/a?dryRun=All`),
    'DELETE configmaps ConfigMap "a" old dry',
  ],
  [
    "each deletion of a collection, by no name",
    (server) => server.ask("DELETE", maps),
    'DELETE configmaps ConfigMap "" old',
  ],
  [
    "a command",
    (server) => server.ask("POST", `${pods}/p/exec?command=sh&stdin=true`),
    'CONNECT pods/exec PodExecOptions "p" new',
  ],
  [
    "a forwarded port",
    (server) => server.ask("GET", `${pods}/p/portforward?ports=80`),
    'CONNECT pods/portforward PodPortForwardOptions "p" new',
  ],
];

function mapToApply(name: string): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { y: "2" } };
}

describe("a plug-in is asked twice", () => {
  it.each(operations)("of %s", async (_name, ask, expected) => {
    await using server = await startRecorded();
    await ask(server);
    expect(server.recorder.asked).toEqual([`admit ${expected}`, `validate ${expected}`]);
    expect(server.recorder.requests[0]).toMatchObject({ namespace: "default", user: { name: "admin" } });
  });

  it("of a stream", async () => {
    await using server = await startRecorded();
    const { upgrade } = server.api.doorFor({ name: "admin", groups: ["system:masters"] });
    const path = `${pods}/p/exec?command=sh&command=-c&container=c&stdin=1&tty=true`;
    await upgrade({ method: "GET", path, headers: {}, protocols: [], signal: undefined });
    expect(server.recorder.asked).toEqual([
      'admit CONNECT pods/exec PodExecOptions "p" new',
      'validate CONNECT pods/exec PodExecOptions "p" new',
    ]);
    expect(server.recorder.requests[1]?.object).toMatchObject({
      apiVersion: "v1",
      kind: "PodExecOptions",
      command: ["sh", "-c"],
      container: "c",
      stdin: true,
      tty: true,
    });
  });

  it("before and after a name is generated", async () => {
    await using server = await startRecorded();
    const { body } = await server.ask("POST", maps, { metadata: { generateName: "g-" } });
    expect(server.recorder.asked).toEqual([
      'admit CREATE configmaps ConfigMap "" new',
      `validate CREATE configmaps ConfigMap ${JSON.stringify(body.metadata.name)} new`,
    ]);
  });
});

describe("a plug-in is not asked", () => {
  it.each([
    ["of reads", "GET", `${maps}/a`],
    ["of lists", "GET", maps],
    ["of logs", "GET", `${pods}/p/log`],
    ["of the status that is only read", "GET", `${pods}/p/status`],
  ])("%s", async (_name, method, path) => {
    await using server = await startRecorded();
    const { handle } = server.api.doorFor({ name: "admin", groups: ["system:masters"] });
    await handle({ method, path, headers: {} });
    expect(server.recorder.asked).toEqual([]);
  });
});

describe("what a plug-in refuses does not happen", () => {
  describe.each(["admit", "validate"] as const)("in its half %s", (half) => {
    it.each(operations)("of %s", async (_name, ask) => {
      await using server = await startRecorded();
      const before = await server.store.revision();
      server.recorder.refuses = half;
      const { status, body } = await ask(server);
      expect(status).toBe(403);
      expect(body.message).toMatch(new RegExp(`is forbidden: told so in ${half}$`, "u"));
      expect(await server.store.revision()).toBe(before);
    });
  });
});

describe("what a plug-in changes", () => {
  it("is stored, on create, update, patch and apply", async () => {
    await using server = await startRecorded();
    const labels = { admitted: "yes" };
    const created = await server.ask("POST", maps, { metadata: { name: "b" } });
    expect(created.body.metadata).toMatchObject({ labels });
    for (const ask of operations.slice(2, 6).map(([, each]) => each))
      expect((await ask(server)).body.metadata).toMatchObject({ labels });
    expect((await server.ask("GET", `${maps}/a`)).body.metadata).toMatchObject({ labels });
  });

  it("is checked by the kind: admission comes before validation", async () => {
    const breaks: AdmissionPlugin = {
      name: "Breaks",
      operations: ["CREATE"],
      admit: ({ object, resource }) => {
        if (object !== undefined && resource.kind === "ConfigMap") object["data"] = { "no key": "" };
      },
    };
    await using server = await startServer({ admission: [breaks] });
    const { status, body } = await server.ask("POST", maps, { metadata: { name: "a" } });
    expect([status, body["reason"]]).toEqual([422, "Invalid"]);
  });

  it("of a Scale is how many there will be", async () => {
    const doubles: AdmissionPlugin = {
      name: "Doubles",
      operations: ["UPDATE"],
      admit: ({ object, kind }) => {
        if (object !== undefined && kind.kind === "Scale") object["spec"] = { replicas: 6 };
      },
    };
    await using server = await startServer({ admission: [doubles] });
    await server.ask("POST", deployments, { metadata: { name: "d" }, spec: deploymentSpec });
    await server.ask("PUT", `${deployments}/d/scale`, scale);
    expect((await server.ask("GET", `${deployments}/d`)).body["spec"]).toMatchObject({ replicas: 6 });
  });
});

describe("what a plug-in validates", () => {
  let server: Awaited<ReturnType<typeof startRecorded>>;
  beforeEach(async () => {
    server = await startRecorded();
    return () => server[Symbol.asyncDispose]();
  });

  it("is what will be stored: without what a creator may not set, with what the server sets", async () => {
    await server.ask("POST", pods, { metadata: { name: "q" }, spec: podSpec, status: { phase: "Running" } });
    const [admitted, validated] = server.recorder.requests;
    expect(admitted?.object).toBe(validated?.object);
    expect(validated?.object).toMatchObject({
      metadata: { uid: expect.any(String) as string },
      spec: { serviceAccountName: "default", tolerations: [{}, {}], priority: 0 },
      status: { phase: "Pending" },
    });
  });

  it("is never asked of what is wrong by itself", async () => {
    const { status } = await server.ask("POST", maps, { metadata: { name: "A_" } });
    expect(status).toBe(422);
    expect(server.recorder.asked).toHaveLength(1);
  });

  it.each<readonly [string, string, unknown, Partial<ApiRequest>, object]>([
    [
      "POST",
      `${maps}?fieldManager=m&dryRun=All`,
      { metadata: { name: "b" } },
      {},
      { kind: "CreateOptions", fieldManager: "m", dryRun: ["All"] },
    ],
    ["PATCH", `${maps}/a?fieldManager=m`, {}, merge, { kind: "UpdateOptions", fieldManager: "m" }],
    [
      "DELETE",
      `${maps}/a`,
      { gracePeriodSeconds: 5, propagationPolicy: "Orphan" },
      {},
      { kind: "DeleteOptions", gracePeriodSeconds: 5, propagationPolicy: "Orphan" },
    ],
  ])("comes with the options of a %s", async (method, path, body, more, options) => {
    await server.ask(method, path, body, more);
    expect(server.recorder.requests[1]?.options).toMatchObject({ apiVersion: "meta.k8s.io/v1", ...options });
  });
});

it("lets a plug-in warn", async () => {
  const warns: AdmissionPlugin = {
    name: "Warns",
    operations: ["DELETE"],
    validate: (_request, { warn }) => warn("think twice"),
  };
  await using server = await startServer({ admission: [warns] });
  await server.ask("POST", maps, { metadata: { name: "a" } });
  const { headers } = await server.ask("DELETE", `${maps}/a`);
  expect(headers["warning"]).toEqual(['299 - "think twice"']);
});

it("asks one plug-in after the other, all halves that change before all that check", async () => {
  const asked: string[] = [];
  const plugin = (name: string): AdmissionPlugin => ({
    name,
    operations: ["CREATE"],
    admit: ({ user }) => void (user.name === "admin" && asked.push(`admit ${name}`)),
    validate: ({ user }) => void (user.name === "admin" && asked.push(`validate ${name}`)),
  });
  await using server = await startServer({ admission: [plugin("one"), plugin("two")] });
  await server.ask("POST", maps, { metadata: { name: "a" } });
  await server.ask("PUT", `${maps}/a`, { metadata: { name: "a" }, data: { x: "1" } });
  expect(asked).toEqual(["admit one", "admit two", "validate one", "validate two"]);
});

it("asks again when another writer was faster, of what is there by then", async () => {
  const seen: unknown[] = [];
  let isFirst = true;
  const interferes: AdmissionPlugin = {
    name: "Interferes",
    operations: ["UPDATE"],
    validate: async ({ oldObject, resource, user }, { objects }) => {
      if (user.name !== "admin") return;
      seen.push(oldObject?.["data"]);
      if (!isFirst) return;
      isFirst = false;
      await objects.update(resource, { namespace: "default", name: "a" }, (object) => {
        object["data"] = { by: "another" };
        return true;
      });
    },
  };
  await using server = await startServer({ admission: [interferes] });
  await server.ask("POST", maps, { metadata: { name: "a" }, data: { by: "nobody" } });
  const { body } = await server.ask("PATCH", `${maps}/a`, { data: { x: "1" } }, merge);
  expect(seen).toEqual([{ by: "nobody" }, { by: "another" }]);
  expect(body["data"]).toEqual({ by: "another", x: "1" });
});
