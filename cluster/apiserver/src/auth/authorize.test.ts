import { describe, expect, it } from "vitest";
import type { User } from "../registry/types.ts";
import { targetOf } from "../request/target.ts";
import { attributesOf, authorize } from "./authorize.ts";
import type { Attributes } from "./types.ts";

const user: User = { name: "jane", groups: [] };

const pods = "/api/v1/namespaces/ns/pods";
const inNs = { group: "", version: "v1", plural: "pods", subresource: "", namespace: "ns", name: "" };

describe("what an authorizer is asked", () => {
  it.each<[string, string, Omit<Attributes, "user">]>([
    ["GET", "/healthz?verbose", { verb: "get", path: "/healthz" }],
    ["POST", "/apis/apps", { verb: "post", path: "/apis/apps" }],
    ["GET", `${pods}?limit=5`, { verb: "list", path: pods, resource: inNs }],
    ["GET", `${pods}?watch=1`, { verb: "watch", path: pods, resource: inNs }],
    [
      "GET",
      `${pods}?fieldSelector=metadata.name%3Da`,
      { verb: "list", path: pods, resource: { ...inNs, name: "a", fieldSelector: "metadata.name=a" } },
    ],
    ["DELETE", pods, { verb: "deletecollection", path: pods, resource: inNs }],
    [
      "POST",
      `${pods}/a/exec`,
      { verb: "create", path: `${pods}/a/exec`, resource: { ...inNs, name: "a", subresource: "exec" } },
    ],
    [
      "PATCH",
      "/apis/apps/v1/namespaces/ns/deployments/d/scale",
      {
        verb: "patch",
        path: "/apis/apps/v1/namespaces/ns/deployments/d/scale",
        resource: { ...inNs, group: "apps", plural: "deployments", name: "d", subresource: "scale" },
      },
    ],
    [
      "DELETE",
      "/api/v1/namespaces/ns",
      {
        verb: "delete",
        path: "/api/v1/namespaces/ns",
        resource: { ...inNs, plural: "namespaces", name: "ns" },
      },
    ],
  ])("of %s %s", (method, path, expected) => {
    const [place = "", query = ""] = path.split("?");
    const target = targetOf(method, place, new URLSearchParams(query));
    expect(attributesOf(user, target, place)).toEqual({ user, ...expected });
  });
});

describe("a refusal names who, what and where", () => {
  it.each([
    ["GET", "/metrics", 'forbidden: User "jane" cannot get path "/metrics": why'],
    [
      "GET",
      `${pods}/a/log`,
      'pods "a" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "ns": why',
    ],
    [
      "GET",
      "/apis/apps/v1/deployments",
      'deployments.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps" at the cluster scope: why',
    ],
  ])("of %s %s", (method, path, message) => {
    const asked = attributesOf(user, targetOf(method, path, new URLSearchParams()), path);
    expect(() => authorize(() => ({ allowed: false, reason: "why" }), asked)).toThrow(message);
  });
});
