import { expect, it } from "vitest";
import { createRegistry } from "../registry/registry.ts";
import { defaultAuthorizer } from "./default-authorizer.ts";
import type { Attributes } from "./types.ts";

const decide = defaultAuthorizer({
  registry: createRegistry(),
  get: () => undefined,
  list: () => [],
  onChange: () => () => undefined,
});

const everybody = ["system:unauthenticated"];
const known = ["system:authenticated"];
const masters = ["system:masters"];

function path(text: string, verb = "get"): Omit<Attributes, "user"> {
  return { verb, path: text };
}

function resource(verb: string, group: string, plural: string): Omit<Attributes, "user"> {
  return {
    verb,
    path: "",
    resource: { group, version: "v1", plural, subresource: "", namespace: "", name: "" },
  };
}

it.each<[string, readonly string[], Omit<Attributes, "user">, boolean]>([
  ["masters may write anything", masters, resource("delete", "", "nodes"), true],
  ["masters may post to any path", masters, path("/anything", "post"), true],
  ["everybody may ask for health", everybody, path("/readyz"), true],
  ["everybody may ask for the version", everybody, path("/version/"), true],
  ["nobody may ask for a single check", everybody, path("/readyz/etcd"), false],
  ["nobody may post to a path", known, path("/healthz", "post"), false],
  ["who is known may look at what is served", known, path("/apis/apps/v1"), true],
  ["who is known may read the schema", known, path("/openapi/v3"), true],
  ["who is unknown may not look at what is served", everybody, path("/apis"), false],
  ["a path that only begins like one is another", known, path("/apisx"), false],
  ["who is known may read no object", known, resource("get", "", "configmaps"), false],
  [
    "who is known may ask what they may",
    known,
    resource("create", "authorization.k8s.io", "selfsubjectaccessreviews"),
    true,
  ],
  [
    "who is unknown may not",
    everybody,
    resource("create", "authorization.k8s.io", "selfsubjectaccessreviews"),
    false,
  ],
  [
    "nobody may ask what others may",
    known,
    resource("create", "authorization.k8s.io", "subjectaccessreviews"),
    false,
  ],
])("%s", async (_name, groups, attributes, allowed) => {
  expect(await decide({ ...attributes, user: { name: "jane", groups } })).toEqual({ allowed });
});
