import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock, silentLogger, VirtualClock } from "@kedge/machinery";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../testing/start-server.ts";
import { AuditFile } from "./audit-file.ts";
import { parseAuditPolicy } from "./parse-policy.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
const hidden = "c2VjcmV0IHRoaW5n";
const namespace = "/api/v1/namespaces/default";

interface Told {
  readonly [field: string]: unknown;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
}

async function audited(policy: string) {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line) };
  const server = await startServer({ audit: { policy: parseAuditPolicy(`${head}${policy}`), sink } });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, text: () => lines.join(""), events: () => lines.map((line) => JSON.parse(line) as Told) };
}

it("tells who asked what, and what was answered, at the level of the first rule that matches", async () => {
  const { server, events } = await audited(`
rules:
- {level: None, users: [nobody], verbs: [get]}
- {level: None, nonResourceURLs: ["/healthz*", /version]}
- {level: RequestResponse, resources: [{group: "", resources: [configmaps]}], verbs: [create]}
- {level: Request, resources: [{group: "", resources: [configmaps]}], verbs: [patch]}
- {level: Metadata, omitStages: [RequestReceived]}
`);
  await server.api
    .doorFor({ name: "nobody", groups: ["system:masters"] })
    .handle({ method: "GET", path: `${namespace}/pods/a`, headers: {} });
  await server.api
    .doorFor({ name: "a", groups: ["system:masters"] })
    .handle({ method: "GET", path: "/healthz/ping", headers: {} });
  expect(events()).toEqual([]);
  await server.ask("POST", `${namespace}/configmaps`, { metadata: { name: "a", labels: { a: "b" } } });
  const [received, created] = events();
  expect(received).toMatchObject({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "RequestResponse",
    stage: "RequestReceived",
    requestURI: `${namespace}/configmaps`,
    verb: "create",
    user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    userAgent: "test/1",
    objectRef: { resource: "configmaps", namespace: "default", apiVersion: "v1" },
  });
  expect(created).toMatchObject({
    stage: "ResponseComplete",
    auditID: received?.["auditID"],
    objectRef: { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { metadata: { labels: { a: "b" } } },
    responseObject: { kind: "ConfigMap", metadata: { name: "a", namespace: "default" } },
    annotations: { "authorization.k8s.io/decision": "allow" },
  });
  await server.ask("GET", `${namespace}/configmaps/none`);
  expect(events().slice(2)).toMatchObject([
    {
      level: "Metadata",
      stage: "ResponseComplete",
      objectRef: { name: "none" },
      responseStatus: {
        status: "Failure",
        reason: "NotFound",
        message: 'configmaps "none" not found',
        code: 404,
      },
    },
  ]);
  expect(events()[2]).not.toHaveProperty("responseObject");
  const jane = server.api.doorFor({ name: "jane", groups: [] });
  await jane.handle({ method: "GET", path: `${namespace}/pods`, headers: {} });
  expect(events().at(-1)).toMatchObject({
    user: { username: "jane" },
    verb: "list",
    responseStatus: { reason: "Forbidden", code: 403 },
    annotations: { "authorization.k8s.io/decision": "forbid" },
  });
  const watch = await server.watch(`${namespace}/configmaps?watch=true`);
  expect(events().at(-1)).toMatchObject({
    verb: "watch",
    stage: "ResponseStarted",
    responseStatus: { code: 200 },
  });
  await watch.next();
  await watch.close();
  expect(events().at(-1)).toMatchObject({ verb: "watch", stage: "ResponseComplete" });
});

it("has every digit of an integer of 64 bits", async () => {
  const { server, text } = await audited(
    "rules:\n- {level: RequestResponse, omitStages: [RequestReceived]}\n",
  );
  const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
  await server.ask("POST", revisions, '{"metadata":{"name":"a"},"revision":9007199254740993,"data":{}}');
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  await server.ask("PATCH", `${revisions}/a`, '{"revision":9007199254740995}', merge);
  for (const revision of ["9007199254740993", "9007199254740995"])
    for (const told of ["requestObject", "responseObject"])
      expect(text()).toMatch(new RegExp(`"${told}":\\{[^\n]*"revision":${revision}[,}]`, "u"));
});

it("never has a value of a Secret, a ConfigMap or a token in it", async () => {
  const { server, events, text } = await audited("rules:\n- level: RequestResponse\n");
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": hidden };
  const data = { password: hidden };
  await server.ask("POST", `${namespace}/secrets`, { metadata: { name: "a", annotations }, data });
  await server.ask("PUT", `${namespace}/secrets/a`, {
    metadata: { name: "a" },
    stringData: { password: hidden },
  });
  for (const [type, patch] of [
    ["merge-patch", { data }],
    ["strategic-merge-patch", { stringData: data }],
    ["json-patch", [{ op: "replace", path: "/data/password", value: hidden }]],
  ] as const)
    await server.ask("PATCH", `${namespace}/secrets/a`, patch, {
      headers: { "content-type": `application/${type}+json` },
    });
  await server.ask("GET", `${namespace}/secrets`);
  const asTable = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };
  for (const path of ["secrets", "secrets/a"]) {
    await server.ask("GET", `${namespace}/${path}?includeObject=Object`, undefined, asTable);
    const table = { kind: "Table", rows: [{ object: { data: { password: "REDACTED" } } }] };
    expect(events().at(-1)?.["responseObject"]).toMatchObject(table);
  }
  await server.ask("DELETE", `${namespace}/secrets/a`);
  await server.ask("POST", `${namespace}/configmaps`, {
    metadata: { name: "a" },
    data: { password: hidden },
  });
  await server.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: hidden } });
  expect(events().length).toBeGreaterThanOrEqual(18);
  expect(text()).toContain('"password":"REDACTED"');
  expect(text()).not.toContain(hidden);
  expect(text()).not.toContain(Buffer.from(hidden).toString("base64"));
});

it.each([
  ["rules: []", "rules: at least one is needed"],
  ["rules: [{level: Everything}]", "rules[0].level: must be one of None, Metadata"],
  ["rules: [{level: None, nonResourceURLs: [a]}]", "rules[0].nonResourceURLs[0]: must begin with /"],
  ["rules: [{level: None, nonResourceURLs: [/a], namespaces: [b]}]", "cannot apply to both"],
  ["rules: [{level: None, omitStages: [Never]}]", "rules[0].omitStages: allowed stages are"],
  ["rules: [{level: None, verb: [get]}]", "rules[0].verb: is not known"],
])("a policy that says %s is refused", (policy, why) => {
  expect(() => parseAuditPolicy(`${head}${policy}`)).toThrow(why);
});

it("keeps files of a size, and so many of them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "audit.log");
  const file = new AuditFile({ path, clock: realClock, logger: silentLogger, maxBytes: 1000, maxBackups: 3 });
  for (let i = 0; i < 60; i++) {
    file.write(`${String(i).padStart(99, " ")}\n`);
    await file.close();
  }
  const names = readdirSync(folder).toSorted();
  expect(names.length).toBe(4);
  const kept = [...names.filter((name) => name !== "audit.log"), "audit.log"].map((name) =>
    readFileSync(join(folder, name), "utf8"),
  );
  const numbers = kept.join("").trim().split("\n").map(Number);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => 60 - numbers.length + i));
  expect(Math.max(...names.map((name) => statSync(join(folder, name)).size))).toBeLessThanOrEqual(1000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("drops and counts what the disk does not take, and says so once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said: unknown[] = [];
  const logger = { ...silentLogger, error: (_text: string, fields?: object) => void said.push(fields) };
  const clock = new VirtualClock();
  const file = new AuditFile({
    path: join(folder, "audit.log"),
    clock,
    logger,
    maxBytes: 10_000,
    maxBackups: 1,
    maxWaiting: 1000,
  });
  for (let i = 0; i < 25; i++) file.write("x".repeat(100));
  expect(file.dropped).toBe(15);
  expect(said).toEqual([{ dropped: 1, droppedInAll: 1 }]);
  await file.close();
  rmSync(folder, { recursive: true });
  file.write("lost\n");
  await file.close();
  expect(file.dropped).toBe(16);
});

it("tells what a pod would break of the level that its namespace only looks for", async () => {
  const { server, events } = await audited("rules:\n- {level: Metadata, omitStages: [RequestReceived]}\n");
  const labels = {
    "pod-security.kubernetes.io/enforce": "baseline",
    "pod-security.kubernetes.io/audit": "restricted",
  };
  await server.ask(
    "PATCH",
    namespace,
    { metadata: { labels } },
    { headers: { "content-type": "application/merge-patch+json" } },
  );
  const spec = {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "c:1" }] } },
  };
  await server.ask("POST", "/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "d" }, spec });
  await server.ask("POST", `${namespace}/serviceaccounts`, { metadata: { name: "default" } });
  await server.ask("POST", `${namespace}/pods`, { metadata: { name: "p" }, spec: spec.template.spec });
  const annotations = events()
    .filter(({ requestURI }) => /deployments|pods/u.test(requestURI))
    .map((told) => told["annotations"]);
  const violations = expect.stringContaining(
    'would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
  ) as string;
  expect(annotations).toEqual([
    expect.objectContaining({ "pod-security.kubernetes.io/audit-violations": violations }),
    expect.objectContaining({
      "pod-security.kubernetes.io/audit-violations": violations,
      "pod-security.kubernetes.io/enforce-policy": "baseline:latest",
    }),
  ]);
});
