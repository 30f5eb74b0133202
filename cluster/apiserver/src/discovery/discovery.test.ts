import type { ApiHeaders, ApiResponse } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { createDiscovery } from "./discovery.ts";
import { readJson } from "./testing/read-json.ts";
import { testRegistry, testResource } from "./testing/test-resource.ts";
import { compareVersions } from "./version-order.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

function ask(path: string, headers: ApiHeaders = {}, registry = testRegistry()) {
  return createDiscovery(registry)({ method: "GET", path, headers });
}

function documentAt(path: string): unknown {
  const answer = ask(path, { host: "kedge:6443" });
  return answer?.type === "document" ? answer.document : answer;
}

function responseTo(path: string, headers: ApiHeaders): ApiResponse {
  const answer = ask(path, headers);
  if (answer?.type !== "response") throw new Error(`${path} was not answered with a response`);
  return answer.response;
}

describe("the plain documents", () => {
  test("/api has the versions of the core group and where the server is", () => {
    expect(documentAt("/api")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "kedge:6443" }],
    });
  });

  test("/apis has all other groups, Kubernetes' own before custom ones, each with its preferred version", () => {
    expect(documentAt("/apis")).toMatchObject({
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: [
        { name: "apps" },
        {
          name: "autoscaling",
          versions: [{ version: "v2" }, { version: "v1" }],
          preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" },
        },
        { name: "example.com", preferredVersion: { groupVersion: "example.com/v1beta1" } },
      ],
    });
  });

  test("/api/v1 lists resources by name, and subresources after their resource, without an apiVersion", () => {
    expect(documentAt("/api/v1")).toMatchObject({
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [
        { name: "configmaps", singularName: "configmap", namespaced: true, shortNames: ["cm"] },
        { name: "pods", categories: ["all"] },
        { name: "pods/binding", kind: "Binding", verbs: ["create"] },
        { name: "pods/eviction", group: "policy", version: "v1", kind: "Eviction" },
        { name: "pods/exec", kind: "PodExecOptions", verbs: ["create", "get"] },
        { name: "pods/log", kind: "Pod", verbs: ["get"] },
        { name: "pods/status", kind: "Pod", verbs: ["get", "patch", "update"], singularName: "" },
      ],
    });
    expect(documentAt("/api/v1")).not.toHaveProperty("apiVersion");
  });

  test("custom resources have their own order of verbs and subresources", () => {
    expect(documentAt("/apis/example.com/v1beta1")).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "example.com/v1beta1",
      resources: [
        {
          name: "things",
          singularName: "thing",
          namespaced: false,
          kind: "Thing",
          verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
          storageVersionHash: "r7WJZdPX2WA=",
        },
        {
          name: "things/status",
          singularName: "",
          namespaced: false,
          kind: "Thing",
          verbs: ["get", "patch", "update"],
        },
        {
          name: "things/scale",
          singularName: "",
          namespaced: false,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: ["get", "patch", "update"],
        },
      ],
    });
  });

  test.each(["/api/", "/apis/", "/apis/apps/", "/apis/apps/v1/", "/api/v1/"])("%s is answered", (path) => {
    expect(ask(path)?.type).toBe("document");
  });

  test.each(["/apis/apps/v9", "/api/v9"])("%s is a 404 with a Status", (path) => {
    expect(() => ask(path)).toThrow("the server could not find the requested resource");
  });

  test.each(["/apis/nothing", "/apis/example.com/v9", "/healthz", "/api/v1/pods", "/apis/apps/v1/x"])(
    "%s is not",
    (path) => {
      expect(ask(path)).toBeUndefined();
    },
  );
});

describe("aggregated discovery", () => {
  test("has its own content type and all resources with their subresources", async () => {
    const response = responseTo("/api", { accept: `${aggregated},application/json` });
    expect(response.headers).toMatchObject({
      "content-type": aggregated,
      "cache-control": "public",
      vary: "Accept",
    });
    expect(await readJson(response)).toMatchObject({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      items: [
        {
          metadata: {},
          versions: [
            {
              version: "v1",
              freshness: "Current",
              resources: [
                { resource: "configmaps", responseKind: { group: "", version: "", kind: "ConfigMap" } },
                {
                  resource: "pods",
                  scope: "Namespaced",
                  subresources: [
                    { subresource: "binding" },
                    {
                      subresource: "eviction",
                      responseKind: { group: "policy", version: "v1", kind: "Eviction" },
                    },
                    { subresource: "exec" },
                    { subresource: "log" },
                    { subresource: "status" },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test("names group and version of custom kinds", async () => {
    const document = await readJson(responseTo("/apis", { accept: aggregated }));
    expect(document).toMatchObject({
      items: [
        { metadata: { name: "apps" } },
        { metadata: { name: "autoscaling" } },
        {
          versions: [
            {
              resources: [
                {
                  scope: "Cluster",
                  responseKind: { group: "example.com", version: "v1beta1", kind: "Thing" },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test("is a 304 without a content type for those who have it", () => {
    const { etag } = responseTo("/apis", { accept: aggregated }).headers;
    const again = responseTo("/apis", { accept: aggregated, "if-none-match": etag ?? "" });
    expect(again.status).toBe(304);
    expect(again.headers).toEqual({ etag, "cache-control": "public", vary: "Accept" });
    expect(responseTo("/apis", { accept: aggregated, "if-none-match": '"other"' }).status).toBe(200);
  });

  test("changes its etag with the registry, and back", () => {
    const registry = testRegistry();
    const discovery = createDiscovery(registry);
    const etag = () => {
      const answer = discovery({ method: "GET", path: "/apis", headers: { accept: aggregated } });
      return answer?.type === "response" ? answer.response.headers["etag"] : undefined;
    };
    const before = etag();
    const added = testResource({ group: "new.io", version: "v1", kind: "New", plural: "news" });
    registry.replace([], [added]);
    expect(etag()).not.toBe(before);
    registry.replace([added], []);
    expect(etag()).toBe(before);
  });

  test.each([
    ["*/*", "document"],
    ["", "document"],
    [`application/json,${aggregated}`, "document"],
    [`application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json`, "document"],
    [`${aggregated};q=0.1,application/json`, "document"],
    [`application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,${aggregated}`, "response"],
    [`application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io;profile=nopeer`, "response"],
  ])("%j gets the %s", (accept, type) => {
    expect(ask("/apis", { accept })?.type).toBe(type);
  });
});

test("versions are ranked as Kubernetes ranks them", () => {
  const ranked = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "foo1", "v0"];
  expect(ranked.toReversed().toSorted(compareVersions)).toEqual(ranked);
});
