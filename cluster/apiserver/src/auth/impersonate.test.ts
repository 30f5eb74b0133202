import type { ApiHeaders } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import type { User } from "../registry/types.ts";
import { impersonate } from "./impersonate.ts";

const admin: User = { name: "admin", groups: ["system:masters"] };

/** Whom an admin acts as, and what he needed leave for. */
async function acting(headers: ApiHeaders): Promise<{ user: User; asked: string[] }> {
  const asked: string[] = [];
  const user = await impersonate(
    ({ verb, user: by, resource }) => {
      const { group = "", plural = "", subresource = "", namespace = "", name = "" } = resource ?? {};
      asked.push([by.name, verb, group, plural, subresource, namespace, name].filter(Boolean).join(" "));
      return { allowed: true };
    },
    admin,
    headers,
  );
  return { user, asked };
}

describe("acting as somebody", () => {
  it("is oneself without headers, and asks nobody", async () => {
    expect(await acting({})).toEqual({ user: admin, asked: [] });
  });

  it("is being authenticated", async () => {
    const { user, asked } = await acting({ "impersonate-user": "jane" });
    expect(user).toEqual({ name: "jane", groups: ["system:authenticated"] });
    expect(asked).toEqual(["admin impersonate users jane"]);
  });

  it("needs leave for each group, id and extra", async () => {
    const { user, asked } = await acting({
      "impersonate-user": "jane",
      "impersonate-group": ["dev", "ops, more"],
      "impersonate-uid": "7",
      "impersonate-extra-acme.com%2fproject": ["x", "y"],
    });
    expect(user).toEqual({
      name: "jane",
      uid: "7",
      groups: ["dev", "ops", "more", "system:authenticated"],
      extra: { "acme.com/project": ["x", "y"] },
    });
    expect(asked).toEqual([
      "admin impersonate users jane",
      "admin impersonate groups dev",
      "admin impersonate groups ops",
      "admin impersonate groups more",
      "admin impersonate authentication.k8s.io userextras acme.com/project x",
      "admin impersonate authentication.k8s.io userextras acme.com/project y",
      "admin impersonate authentication.k8s.io uids 7",
    ]);
  });

  it("is a service account by its name, with its groups", async () => {
    const { user, asked } = await acting({ "impersonate-user": "system:serviceaccount:ns:robot" });
    expect(user.groups).toEqual([
      "system:serviceaccounts",
      "system:serviceaccounts:ns",
      "system:authenticated",
    ]);
    expect(asked).toEqual(["admin impersonate serviceaccounts ns robot"]);
  });

  it("is nobody in particular as the anonymous", async () => {
    const { user } = await acting({ "impersonate-user": "system:anonymous" });
    expect(user.groups).toEqual(["system:unauthenticated"]);
  });

  it("is refused without leave, and asks no further", async () => {
    const asked: string[] = [];
    const refused = impersonate(
      ({ resource }) => ({ allowed: asked.push(resource?.name ?? "") > 9 }),
      { name: "jane", groups: [] },
      { "impersonate-user": "root", "impersonate-group": "system:masters" },
    );
    await expect(refused).rejects.toThrow(
      'users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    expect(asked).toEqual(["root"]);
  });

  it("needs a name", async () => {
    await expect(acting({ "impersonate-group": "dev" })).rejects.toThrow(
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)} without impersonating a user name',
    );
  });
});
