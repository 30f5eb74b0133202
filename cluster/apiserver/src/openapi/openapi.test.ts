import { VirtualClock, type ApiHeaders, type ApiResponse } from "@kedge/machinery";
import { builtinTable } from "@kedge/machinery/schema-table";
import { describe, expect, test } from "vitest";
import { readJson } from "../discovery/testing/read-json.ts";
import { lenientDecoder, testRegistry, testResource } from "../discovery/testing/test-resource.ts";
import { createOpenApi } from "./openapi.ts";

const table = builtinTable();

function serverOf(registry = testRegistry()) {
  const openApi = createOpenApi({ registry, table, clock: new VirtualClock() });
  return (path: string, headers: ApiHeaders = {}): ApiResponse => {
    const response = openApi({ method: "GET", path, headers });
    if (response === undefined || response instanceof Promise) throw new Error(`${path} was not answered`);
    return response;
  };
}

test("the root names every document with its hash", async () => {
  const get = serverOf();
  const root = get("/openapi/v3");
  expect(root.headers["content-type"]).toBe("text/plain; charset=utf-8");
  const document = await readJson(root);
  const { headers } = get("/openapi/v3/apis/apps/v1");
  const hash = String(headers["etag"]).replaceAll('"', "");
  expect(document).toMatchObject({
    paths: {
      "api/v1": {},
      "apis/apps/v1": { serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${hash}` },
      "apis/example.com/v1beta1": {},
      version: {},
    },
  });
});

describe("caching", () => {
  const get = serverOf();
  const etag = String(get("/openapi/v3/api/v1").headers["etag"]);
  const hash = etag.replaceAll('"', "");

  test("with the right hash a document may be kept for ever", () => {
    const { headers } = get(`/openapi/v3/api/v1?hash=${hash}`);
    expect(headers["cache-control"]).toBe("public, immutable");
    expect(headers["expires"]).toBeDefined();
  });

  test("with a wrong hash the answer leads to the right one", () => {
    const { status, headers } = get("/openapi/v3/api/v1?hash=wrong");
    expect(status).toBe(301);
    expect(headers["location"]).toBe(`/openapi/v3/api/v1?hash=${hash}`);
  });

  test("who has a document gets a 304", () => {
    const { status, headers } = get("/openapi/v3/api/v1", { "if-none-match": etag });
    expect(status).toBe(304);
    expect(Object.keys(headers).toSorted()).toEqual(["cache-control", "etag", "vary"]);
  });

  test("a new kind changes the document of its group version only", () => {
    const registry = testRegistry();
    const ask = serverOf(registry);
    const paths = ["/openapi/v3/api/v1", "/openapi/v3/apis/example.com/v1beta1"];
    const before = paths.map((path) => ask(path).headers["etag"]);
    const facts = { group: "example.com", version: "v1beta1", kind: "Other", plural: "others" };
    registry.replace(
      [],
      [
        testResource({
          ...facts,
          custom: lenientDecoder,
        }),
      ],
    );
    const [core, custom] = paths.map((path) => ask(path).headers["etag"]);
    expect(core).toBe(before[0]);
    expect(custom).not.toBe(before[1]);
  });
});

test.each([
  ["/openapi/v3/apis/nothing/v1", {}, 404],
  ["/openapi/v3/api/v1", { accept: "application/yaml" }, 406],
  ["/openapi/v3/api/v1", { accept: "application/json, */*" }, 200],
  ["/openapi/v3/version", {}, 200],
])("%s %j is a %d", (path, headers, status) => {
  expect(serverOf()(path, headers).status).toBe(status);
});

test("other paths are not ours", () => {
  const openApi = createOpenApi({ registry: testRegistry(), table, clock: new VirtualClock() });
  expect(openApi({ method: "GET", path: "/openapi/v1", headers: {} })).toBeUndefined();
});

describe("documents", () => {
  test("have the PATCH operation that tells kubectl of validation on the server", async () => {
    const document = await readJson(serverOf()("/openapi/v3/apis/apps/v1"));
    expect(document).toMatchObject({
      openapi: "3.0.0",
      paths: {
        "/apis/apps/v1/deployments": { get: { operationId: "listAppsV1DeploymentForAllNamespaces" } },
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": {
          patch: {
            operationId: "patchAppsV1NamespacedDeployment",
            "x-kubernetes-action": "patch",
            "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
            parameters: [
              { name: "dryRun" },
              { name: "fieldManager" },
              { name: "fieldValidation", in: "query" },
              { name: "force" },
            ],
          },
          parameters: [{ name: "name" }, { name: "namespace" }, { name: "pretty" }],
        },
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale": {
          get: {
            "x-kubernetes-group-version-kind": { group: "autoscaling", version: "v1", kind: "Scale" },
          },
        },
      },
    });
  });

  test("have schemas with all that merging and explaining need", async () => {
    expect(await readJson(serverOf()("/openapi/v3/api/v1"))).toMatchObject({
      components: {
        schemas: {
          "io.k8s.api.core.v1.Pod": {
            type: "object",
            properties: {
              metadata: {
                allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
                default: {},
              },
            },
            "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
          },
          "io.k8s.api.core.v1.PodSpec": {
            required: ["containers"],
            properties: {
              volumes: {
                type: "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "x-kubernetes-patch-strategy": "merge,retainKeys",
                "x-kubernetes-patch-merge-key": "name",
              },
              nodeSelector: { type: "object", "x-kubernetes-map-type": "atomic" },
            },
          },
          "io.k8s.apimachinery.pkg.api.resource.Quantity": {
            oneOf: [{ type: "string" }, { type: "number" }],
          },
          "io.k8s.api.policy.v1.Eviction": {},
        },
      },
    });
  });

  test("of custom kinds have the definition's schema, with metadata, and no strategic merge", async () => {
    expect(await readJson(serverOf()("/openapi/v3/apis/example.com/v1beta1"))).toMatchObject({
      paths: {
        "/apis/example.com/v1beta1/things/{name}": {
          patch: { "x-kubernetes-group-version-kind": { kind: "Thing" } },
        },
      },
      components: {
        schemas: {
          "com.example.v1beta1.Thing": {
            description: "A thing.",
            properties: { apiVersion: {}, metadata: {}, spec: { properties: { size: { type: "integer" } } } },
            "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Thing", version: "v1beta1" }],
          },
          "com.example.v1beta1.ThingList": {},
        },
      },
    });
  });

  test("refer only to what is in them", async () => {
    for (const name of ["api/v1", "apis/apps/v1", "apis/autoscaling/v2", "apis/example.com/v1beta1"]) {
      const document = await readJson(serverOf()(`/openapi/v3/${name}`));
      const text = JSON.stringify(document);
      const references = new Set(text.matchAll(/#\/components\/schemas\/(?<name>[^"]+)/gu).map((m) => m[1]));
      expect(references.size).toBeGreaterThan(5);
      for (const reference of references)
        expect(document).toHaveProperty(["components", "schemas", String(reference)]);
    }
  });
});
