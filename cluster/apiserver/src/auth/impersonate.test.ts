import type { ApiHeaders } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import type { User } from "../registry/types.ts";
import { Impersonation } from "./impersonate.ts";

const admin: User = { name: "admin", groups: ["system:masters"] };

const path = "/api/v1/pods";
const resource = { group: "", version: "v1", plural: "pods", subresource: "", namespace: "", name: "" };

/** Whom a sender acts as who wants to list pods, and what he needed leave for; `allows` says what he gets. */
function acting(
  headers: ApiHeaders,
  { sender = admin, allows = () => true }: { sender?: User; allows?: (asked: string) => boolean } = {},
): { user: User; asked: string[] } {
  const asked: string[] = [];
  const impersonation = new Impersonation(({ verb, user: by, resource: on }) => {
    const { group = "", plural = "", subresource = "", namespace = "", name = "" } = on ?? {};
    asked.push([by.name, verb, group, plural, subresource, namespace, name].filter(Boolean).join(" "));
    return { allowed: allows(asked.at(-1) ?? "") };
  });
  return { user: impersonation.actingUser({ user: sender, verb: "list", path, resource }, headers), asked };
}

/** Who has only the right of old. */
const legacy = { allows: (asked: string) => asked.includes(" impersonate ") };

describe("acting as somebody", () => {
  it("is oneself without headers, and asks nobody", () => {
    expect(acting({})).toEqual({ user: admin, asked: [] });
  });

  it("is being authenticated, and needs leave for the user and for what is done as her", () => {
    const { user, asked } = acting({ "impersonate-user": "jane" });
    expect(user).toEqual({ name: "jane", groups: ["system:authenticated"] });
    expect(asked).toEqual([
      "admin impersonate-on:user-info:list pods",
      "admin impersonate:user-info authentication.k8s.io users jane",
    ]);
  });

  it("needs leave for each group, id and extra", () => {
    const headers = {
      "impersonate-user": "jane",
      "impersonate-group": ["dev", "ops, more"],
      "impersonate-uid": "7",
      "impersonate-extra-acme.com%2fproject": ["x", "y"],
    };
    const { user, asked } = acting(headers, legacy);
    expect(user).toEqual({
      name: "jane",
      uid: "7",
      groups: ["dev", "ops", "more", "system:authenticated"],
      extra: { "acme.com/project": ["x", "y"] },
    });
    expect(asked).toEqual([
      "admin impersonate-on:user-info:list pods",
      "admin impersonate users jane",
      "admin impersonate authentication.k8s.io uids 7",
      "admin impersonate groups dev",
      "admin impersonate groups ops",
      "admin impersonate groups more",
      "admin impersonate authentication.k8s.io userextras acme.com/project x",
      "admin impersonate authentication.k8s.io userextras acme.com/project y",
    ]);
  });

  it("asks for many groups at once where it may", () => {
    const headers = { "impersonate-user": "jane", "impersonate-group": ["a", "b", "c", "d"] };
    expect(acting(headers).asked.at(-1)).toBe("admin impersonate:user-info authentication.k8s.io groups *");
  });

  it.each([
    [
      "a service account by its name, with its groups",
      "system:serviceaccount:ns:robot",
      ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
      "admin impersonate:serviceaccount authentication.k8s.io serviceaccounts ns robot",
    ],
    [
      "a node by its name, with its group",
      "system:node:n1",
      ["system:nodes", "system:authenticated"],
      "admin impersonate:arbitrary-node authentication.k8s.io nodes n1",
    ],
    [
      "nobody in particular as the anonymous",
      "system:anonymous",
      ["system:unauthenticated"],
      "admin impersonate:user-info authentication.k8s.io users system:anonymous",
    ],
  ])("is being %s", (_what, name, groups, last) => {
    const { user, asked } = acting({ "impersonate-user": name });
    expect({ groups: user.groups, last: asked.at(-1) }).toEqual({ groups, last });
  });

  it("is the node of one's own pod by a right of its own", () => {
    const extra = { "authentication.kubernetes.io/node-name": ["n1"] };
    const sender = { name: "system:serviceaccount:ns:agent", groups: [], extra };
    expect(acting({ "impersonate-user": "system:node:n1" }, { sender }).asked).toEqual([
      "system:serviceaccount:ns:agent impersonate-on:associated-node:list pods",
      "system:serviceaccount:ns:agent impersonate:associated-node authentication.k8s.io nodes *",
    ]);
    expect(acting({ "impersonate-user": "system:node:n2" }, { sender }).asked.at(-1)).toBe(
      "system:serviceaccount:ns:agent impersonate:arbitrary-node authentication.k8s.io nodes n2",
    );
  });

  it("makes nobody a master but by the right of old", () => {
    const headers = { "impersonate-user": "root", "impersonate-group": "system:masters" };
    const { asked } = acting(headers);
    expect(asked.slice(-2)).toEqual([
      "admin impersonate users root",
      "admin impersonate groups system:masters",
    ]);
    const constrained = { allows: (asked_: string) => !asked_.includes(" impersonate ") };
    expect(() => acting(headers, constrained)).toThrow(
      "impersonating the system:masters group is not allowed",
    );
  });

  it("is refused without leave, in the words of the first right that was missing", () => {
    const sender = { name: "jane", groups: [] };
    expect(() => acting({ "impersonate-user": "root" }, { sender, allows: () => false })).toThrow(
      'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
    );
  });

  it("is refused in the words of the right that let the sender last", () => {
    const impersonation = new Impersonation(({ verb, resource: on }) => ({
      allowed: verb === "impersonate" && on?.name === "jane",
    }));
    const asked = { user: { name: "bob", groups: [] }, verb: "list", path, resource };
    expect(impersonation.actingUser(asked, { "impersonate-user": "jane" }).name).toBe("jane");
    expect(() => impersonation.actingUser(asked, { "impersonate-user": "root" })).toThrow(
      'users "root" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it("needs a name", () => {
    expect(() => acting({ "impersonate-group": "dev" })).toThrow(
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)} without impersonating a user name',
    );
  });
});
