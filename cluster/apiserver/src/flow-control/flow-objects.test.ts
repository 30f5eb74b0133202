import { VirtualClock } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { expect, it } from "vitest";
import { startServer, type Answer, type TestServer } from "../testing/start-server.ts";
import { everythingOf, levelObject, schemaObject } from "./testing/flows.ts";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const [schemas, levels] = [`${group}/flowschemas`, `${group}/prioritylevelconfigurations`];
const jane = { kind: "User", user: { name: "jane" } };

/** The names of the schema and the level that an answer says. */
async function flowOf(server: TestServer, name: string, path: string, method = "GET"): Promise<unknown> {
  const { handle } = server.api.doorFor({ name, groups: ["system:authenticated"] });
  const { status, headers } = await handle({ method, path, headers: {} });
  const named = async (list: string, header: string): Promise<unknown> => {
    const { items } = (await server.ask("GET", list)).body as unknown as { items: Answer["body"][] };
    return (
      items.find(({ metadata }) => metadata["uid"] === headers[header])?.metadata.name ?? headers[header]
    );
  };
  return [
    status,
    await named(schemas, "x-kubernetes-pf-flowschema-uid"),
    await named(levels, "x-kubernetes-pf-prioritylevel-uid"),
  ];
}

it.each([
  ["what is answered", "/version", [200, "global-default", "global-default"]],
  ["what is not allowed", "/api/v1/secrets", [403, "global-default", "global-default"]],
  ["what is not there", "/nothing", [403, "global-default", "global-default"]],
  ["a probe", "/livez", [200, "probes", "exempt"]],
  ["one of its checks", "/livez/ping", [403, "probes", "exempt"]],
  ["a log, which may go on for long", "/api/v1/namespaces/default/pods/a/log", [403, undefined, undefined]],
])("says by headers to which flow belongs %s", async (_what, path, expected) => {
  await using server = await startServer({ defaultRoles: true });
  expect(await flowOf(server, "jane", path)).toEqual(expected);
});

it("follows schemas and levels from the moment at which they are written, and when they go", async () => {
  await using server = await startServer({ defaultRoles: true });
  const rules = [everythingOf(jane)];
  await server.ask("POST", schemas, schemaObject("mine", "mine", { rules }));
  expect(await flowOf(server, "jane", "/version")).toEqual([200, "global-default", "global-default"]);
  await server.ask("POST", levels, levelObject("mine", { nominalConcurrencyShares: 1 }));
  expect(await flowOf(server, "jane", "/version")).toEqual([200, "mine", "mine"]);
  await server.ask("DELETE", `${levels}/mine`);
  expect(await flowOf(server, "jane", "/version")).toEqual([200, "global-default", "global-default"]);
});

it("refuses at once what finds no seat in a level that rejects, and says whose flow it was", async () => {
  await using server = await startServer({ defaultRoles: true });
  await server.ask(
    "POST",
    levels,
    levelObject("none", { nominalConcurrencyShares: 0, borrowingLimitPercent: 0 }),
  );
  await server.ask("POST", schemas, schemaObject("mine", "none", { rules: [everythingOf(jane)] }));
  const { handle } = server.api.doorFor({ name: "jane", groups: ["system:authenticated"] });
  // One at a time is served even there.
  const path = "/api/v1/namespaces/default/configmaps";
  const answers = await Promise.all(
    [1, 2, 3].map(() => handle({ method: "GET", path: "/openapi/v3", headers: {} })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 429, 429]);
  expect(answers[1]?.headers).toMatchObject({
    "retry-after": "1",
    "x-kubernetes-pf-flowschema-uid": answers[0]?.headers["x-kubernetes-pf-flowschema-uid"],
  });
  expect((await handle({ method: "GET", path, headers: {} })).status).toBe(403);
});

const conditionOf = async (server: TestServer, name: string): Promise<unknown> =>
  (await server.ask("GET", `${schemas}/${name}`)).body["status"];

it("says in the status of a schema whether its level is there", async () => {
  const clock = new VirtualClock();
  await using server = await startServer({ clock });
  await server.ask("POST", schemas, schemaObject("mine", "mine", { rules: [everythingOf(jane)] }));
  await clock.settle();
  const references = 'This FlowSchema references the PriorityLevelConfiguration object named "mine"';
  const missing = {
    status: "True",
    reason: "NotFound",
    message: `${references} but there is no such object`,
  };
  expect(await conditionOf(server, "mine")).toMatchObject({ conditions: [{ type: "Dangling", ...missing }] });
  await server.ask("POST", levels, levelObject("mine", {}));
  await clock.settle();
  const there = { status: "False", reason: "Found", message: `${references} and it exists` };
  expect(await conditionOf(server, "mine")).toMatchObject({ conditions: [{ type: "Dangling", ...there }] });
  // It insists, but not for ever in one minute.
  const change = { status: { conditions: [{ type: "Dangling", status: "Unknown" }] } };
  const headers = { "content-type": "application/merge-patch+json" };
  const insist = async (): Promise<unknown> => {
    await server.ask("PATCH", `${schemas}/mine/status`, change, { headers });
    await clock.settle();
    return ((await conditionOf(server, "mine")) as { conditions: { status: string }[] }).conditions[0]
      ?.status;
  };
  const told: unknown[] = [];
  for (let i = 0; i < 5; i++) told.push(await insist());
  expect(told).toEqual(["False", "False", "False", "False", "Unknown"]);
  await clock.advance(60_000);
  expect(await conditionOf(server, "mine")).toMatchObject({ conditions: [{ type: "Dangling", ...there }] });
});

it("puts back what every cluster has, each minute, and leaves alone what somebody has claimed", async () => {
  const clock = new VirtualClock();
  await using server = await startServer({ clock });
  const spec = async (path: string): Promise<unknown> => (await server.ask("GET", path)).body["spec"];
  const headers = { "content-type": "application/merge-patch+json" };
  const annotations = (value: string | null) => ({
    metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": value } },
  });
  const patch = (path: string, body: object) => server.ask("PATCH", path, body, { headers });
  const before = await spec(`${schemas}/service-accounts`);
  await patch(`${schemas}/service-accounts`, { spec: { matchingPrecedence: 77 } });
  await patch(`${schemas}/probes`, { ...annotations("false"), spec: { matchingPrecedence: 78 } });
  await patch(`${schemas}/system-nodes`, { ...annotations(null), spec: { matchingPrecedence: 79 } });
  await patch(`${levels}/exempt`, {
    ...annotations("false"),
    spec: { exempt: { nominalConcurrencyShares: 9 } },
  });
  await server.ask("DELETE", `${schemas}/catch-all`);
  await server.ask("DELETE", `${levels}/system`);
  const old = { ...schemaObject("old", "system", { rules: [everythingOf(jane)] }) };
  old.metadata.annotations = { "apf.kubernetes.io/autoupdate-spec": "true" };
  await server.ask("POST", schemas, old);
  await clock.advance(60_000);
  expect(await spec(`${schemas}/service-accounts`)).toEqual(before);
  expect(await spec(`${schemas}/probes`)).toMatchObject({ matchingPrecedence: 78 });
  const changed = (await server.ask("GET", `${schemas}/system-nodes`)).body;
  expect(changed).toMatchObject({ ...annotations("false"), spec: { matchingPrecedence: 79 } });
  const exempt = (await server.ask("GET", `${levels}/exempt`)).body;
  expect(exempt).toMatchObject({ ...annotations("true"), spec: { exempt: { nominalConcurrencyShares: 9 } } });
  expect((await server.ask("GET", `${schemas}/catch-all`)).status).toBe(200);
  expect((await server.ask("GET", `${levels}/system`)).status).toBe(200);
  expect((await server.ask("GET", `${schemas}/old`)).status).toBe(404);
});

it("leaves no timer behind when the server closes", async () => {
  const clock = new VirtualClock();
  const server = await startServer({ clock });
  await server.ask("POST", schemas, schemaObject("mine", "mine", { rules: [everythingOf(jane)] }));
  await clock.settle();
  await server[Symbol.asyncDispose]();
  expect(clock.pending().timers).toBe(0);
});

it("begins with what the store says, not with what every cluster has", async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const first = await startServer({ clock, store, defaultRoles: true });
  await first.ask("POST", levels, levelObject("mine", {}));
  await first.ask("POST", schemas, schemaObject("mine", "mine", { rules: [everythingOf(jane)] }));
  await first.api.close();
  await using second = await startServer({ clock, store, defaultRoles: true });
  expect(await flowOf(second, "jane", "/version")).toEqual([200, "mine", "mine"]);
});

it("refuses more rules than a request can be compared with, and says how to say it in fewer", async () => {
  await using server = await startServer();
  const verbs = ["get"];
  const rules = [
    {
      subjects: [jane],
      nonResourceRules: Array.from({ length: 6500 }, (_, i) => ({ verbs, nonResourceURLs: [`/u-${i}`] })),
    },
  ];
  const post = (name: string) => server.ask("POST", schemas, schemaObject(name, "system", { rules }));
  for (const name of ["a", "b", "c"]) expect((await post(name)).status).toBe(201);
  const { status, body } = await post("d");
  expect([status, body.message]).toEqual([
    403,
    expect.stringMatching(
      /"d" is forbidden: spec\.rules: it has 6501 rules and all other .* 20000; say it in fewer/u,
    ),
  ]);
});

it("starts though admission refuses what it would put right", async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const first = await startServer({ clock, store });
  const names = { plural: "flunders", singular: "flunder", kind: "Flunder", listKind: "FlunderList" };
  const schema = { openAPIV3Schema: { type: "object" } };
  await first.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "flunders.example.com" },
    spec: {
      group: "example.com",
      names,
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  await clock.settle();
  await first.ask("DELETE", `${schemas}/probes`);
  const admission = "/apis/admissionregistration.k8s.io/v1";
  const apiGroups = ["flowcontrol.apiserver.k8s.io", "apiregistration.k8s.io"];
  const all = { apiGroups, apiVersions: ["*"], operations: ["*"], resources: ["*"] };
  await first.ask("POST", `${admission}/validatingadmissionpolicies`, {
    metadata: { name: "frozen" },
    spec: { matchConstraints: { resourceRules: [all] }, validations: [{ expression: "false" }] },
  });
  await first.ask("POST", `${admission}/validatingadmissionpolicybindings`, {
    metadata: { name: "frozen" },
    spec: { policyName: "frozen", validationActions: ["Deny"] },
  });
  const service = "/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com";
  expect((await first.ask("DELETE", service)).status).toBe(422);
  await first.api.close();
  await using second = await startServer({ clock, store });
  expect((await second.ask("GET", `${schemas}/probes`)).status).toBe(404);
  await second.ask("DELETE", `${admission}/validatingadmissionpolicybindings/frozen`);
  await clock.advance(60_000);
  expect((await second.ask("GET", `${schemas}/probes`)).status).toBe(200);
});
