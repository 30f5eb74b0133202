import { expect, it } from "vitest";
import type { Attributes } from "../types.ts";
import { ruleAllows, type Rule } from "./rule.ts";

const user = { name: "jane", groups: [] };

function resource(verb: string, path: string): Attributes {
  const [group = "", plural = "", subresource = "", name = ""] = path.split("|");
  return {
    user,
    verb,
    path: "",
    resource: { group, version: "v1", plural, subresource, namespace: "ns", name },
  };
}

const pods: Rule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const named: Rule = { ...pods, verbs: ["*"], resourceNames: ["a"] };
const all: Rule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
const scale: Rule = { verbs: ["get"], apiGroups: ["*"], resources: ["*/scale", "pods/log"] };
const paths: Rule = { verbs: ["get"], nonResourceURLs: ["/metrics", "/logs/*"] };

it.each<[string, Rule, Attributes, boolean]>([
  ["a verb that it has", pods, resource("get", "|pods"), true],
  ["a verb that it has not", pods, resource("watch", "|pods"), false],
  ["the resource of another group", pods, resource("get", "metrics.k8s.io|pods"), false],
  ["a subresource that it does not name", pods, resource("get", "|pods|log"), false],
  ["a name that it has", named, resource("delete", "|pods||a"), true],
  ["a name that it has not", named, resource("delete", "|pods||b"), false],
  ["a collection, when it has names", named, resource("list", "|pods"), false],
  ["everything by stars", all, resource("any", "some.group|things|part|x"), true],
  ["no path by stars of resources", all, { user, verb: "get", path: "/metrics" }, false],
  ["a subresource of anything", scale, resource("get", "apps|deployments|scale"), true],
  ["a subresource that it names", scale, resource("get", "|pods|log"), true],
  ["no object by the star of its subresource", scale, resource("get", "apps|deployments"), false],
  ["no other subresource", scale, resource("get", "apps|deployments|status"), false],
  ["a path", paths, { user, verb: "get", path: "/metrics" }, true],
  ["a path below one with a star", paths, { user, verb: "get", path: "/logs/a/b" }, true],
  ["no path above it", paths, { user, verb: "get", path: "/logs" }, false],
  ["no other verb of a path", paths, { user, verb: "post", path: "/metrics" }, false],
])("a rule decides about %s", (_what, rule, attributes, allowed) => {
  expect(ruleAllows(rule, attributes)).toBe(allowed);
});
