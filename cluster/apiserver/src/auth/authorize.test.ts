import { describe, expect, it } from "vitest";
import type { User } from "../registry/types.ts";
import { targetOf } from "../request/target.ts";
import { startServer } from "../testing/start-server.ts";
import { authorize } from "./authorize.ts";
import type { Attributes, AuthorizerMaker } from "./types.ts";

const user: User = { name: "jane", groups: [] };

/** What an authorizer is asked when a request comes. */
async function attributesOf(method: string, path: string): Promise<Omit<Attributes, "user">> {
  const [place = "", query = ""] = path.split("?");
  const asked: Attributes[] = [];
  const target = targetOf(method, place, new URLSearchParams(query));
  await authorize((attributes) => ({ allowed: asked.push(attributes) > 0 }), user, { target, path: place });
  const [{ user: who, ...rest } = { user, verb: "", path: "" }] = asked;
  expect(who).toBe(user);
  return rest;
}

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
      { verb: "list", path: pods, resource: { ...inNs, name: "a" } },
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
  ])("of %s %s", async (method, path, expected) => {
    expect(await attributesOf(method, path)).toEqual(expected);
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
  ])("of %s %s", async (method, path, message) => {
    const target = targetOf(method, path, new URLSearchParams());
    const refused = authorize(() => ({ allowed: false, reason: "why" }), user, { target, path });
    await expect(refused).rejects.toMatchObject({ status: { code: 403, reason: "Forbidden", message } });
  });
});

it("is made with access to objects, and sees each write that was answered", async () => {
  const byConfigMap: AuthorizerMaker = (objects) => (attributes) => {
    const maps = objects.registry.resource("", "v1", "configmaps");
    const key = { namespace: "default", name: attributes.user.name };
    return { allowed: attributes.verb === "create" || (maps && objects.get(maps, key)) !== undefined };
  };
  await using server = await startServer({ authorizer: byConfigMap });
  const maps = "/api/v1/namespaces/default/configmaps";
  expect((await server.ask("GET", maps)).status).toBe(403);
  expect((await server.ask("POST", maps, { metadata: { name: "admin" } })).status).toBe(201);
  expect((await server.ask("GET", maps)).status).toBe(200);
});
