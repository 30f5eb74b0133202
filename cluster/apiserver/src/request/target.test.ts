import { describe, expect, it } from "vitest";
import { targetOf } from "./target.ts";

describe("what a path asks for", () => {
  it.each([
    ["GET", "/api/v1/pods", { verb: "list", group: "", plural: "pods", namespace: "", name: "" }],
    ["GET", "/api/v1/pods?watch=1", { verb: "watch", plural: "pods" }],
    ["GET", "/api/v1/pods?watch=false", { verb: "list", plural: "pods" }],
    [
      "GET",
      "/api/v1/watch/namespaces/a/pods/b",
      { verb: "watch", namespace: "a", name: "b", legacyWatch: true },
    ],
    ["GET", "/api/v1/namespaces/a", { verb: "get", plural: "namespaces", namespace: "a", name: "a" }],
    ["PUT", "/api/v1/namespaces/a/finalize", { plural: "namespaces", name: "a", subresource: "finalize" }],
    ["POST", "/apis/apps/v1/namespaces/a/deployments", { verb: "create", group: "apps", version: "v1" }],
    [
      "PATCH",
      "/apis/apps/v1/namespaces/a/deployments/b/scale",
      { verb: "patch", name: "b", subresource: "scale" },
    ],
    ["DELETE", "/api/v1/namespaces/a/pods", { verb: "deletecollection" }],
    ["GET", "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db", { verb: "list", selectedName: "b" }],
    ["GET", "/apis/apps/v1", { type: "path", verb: "get" }],
    ["GET", "/healthz", { type: "path", path: "/healthz" }],
  ])("%s %s", (method, path, expected) => {
    const [plain = "", query = ""] = path.split("?");
    expect(targetOf(method, plain, new URLSearchParams(query))).toMatchObject(expected);
  });
});
