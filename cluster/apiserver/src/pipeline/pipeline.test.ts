import fc from "fast-check";
import { expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const anyJson = fc.jsonValue({ maxDepth: 3 });
const metadata = fc.record(
  {
    name: fc.oneof(fc.constantFrom("a", "b"), anyJson),
    namespace: fc.oneof(fc.constant("default"), anyJson),
    labels: fc.oneof(fc.dictionary(fc.string(), fc.oneof(fc.string(), anyJson)), anyJson),
    annotations: anyJson,
    finalizers: fc.oneof(fc.array(fc.oneof(fc.string(), anyJson)), anyJson),
    ownerReferences: fc.oneof(fc.array(anyJson), anyJson),
    managedFields: fc.oneof(fc.array(anyJson), anyJson),
    resourceVersion: anyJson,
    uid: anyJson,
    generateName: anyJson,
    creationTimestamp: anyJson,
    deletionGracePeriodSeconds: anyJson,
  },
  { requiredKeys: [] },
);
const object = fc.record(
  {
    apiVersion: fc.oneof(fc.constantFrom("v1", "apps/v1"), anyJson),
    kind: fc.oneof(fc.constantFrom("ConfigMap", "Pod", "Deployment"), anyJson),
    metadata: fc.oneof(metadata, anyJson),
    data: anyJson,
    spec: anyJson,
    status: anyJson,
  },
  { requiredKeys: [] },
);
const collections = [
  "/api/v1/namespaces/default/configmaps",
  "/api/v1/namespaces/default/pods",
  "/api/v1/namespaces/default/services",
  "/apis/apps/v1/namespaces/default/deployments",
  "/api/v1/namespaces",
  "/api/v1/nodes",
];
const types = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "nonsense",
];

it("answers whatever is sent without a fault of its own, and goes on", async () => {
  await using server = await startServer();
  // Pods wait for it, and this clock stands still.
  await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const { handle } = server.api.doorFor({ name: "a", groups: ["system:masters"] });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS"),
        collection: fc.constantFrom(...collections),
        below: fc.constantFrom("", "/a", "/a", "/b/status", "/a/scale", "/%00", "/a/b/c/d"),
        query: fc.constantFrom(
          "",
          "?limit=1",
          "?fieldManager=x&force=true",
          "?dryRun=All",
          "?continue=x",
          "?pretty",
        ),
        type: fc.constantFrom(...types),
        body: fc.oneof(
          object.map((value) => JSON.stringify(value)),
          anyJson.map((value) => JSON.stringify(value)),
          fc.string(),
          fc
            .array(fc.record({ op: fc.string(), path: fc.string(), value: anyJson }))
            .map((value) => JSON.stringify(value)),
        ),
      }),
      async ({ method, collection, below, query, type, body }) => {
        const path = `${collection}${below}${query}`;
        const answer = await handle({ method, path, headers: { "content-type": type }, body });
        const text = Buffer.concat(await Array.fromAsync(answer.body)).toString("utf8");
        const fault = answer.status < 500 || excusable.test(text) ? "" : text;
        expect(fault).toBe("");
      },
    ),
    { numRuns: 3000 },
  );
  const { status, body } = await server.ask("GET", "/api/v1/namespaces/default");
  expect({ status, kind: body["kind"] }).toEqual({ status: 200, kind: "Namespace" });
});

/** What Kubernetes, too, answers 500 to says what is wrong with the request. */
const excusable =
  /typed (?:patch|live) object|resourceVersion|ParseUint|merge key|expected a map|unable to find|managed fields/u;
