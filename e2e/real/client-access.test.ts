import { connect } from "@kedge/client";
import { SelfSubjectAccessReview } from "@kedge/machinery/kinds/authorization/v1";
import { ConfigMap, Pod } from "@kedge/machinery/kinds/core/v1";
import { ClusterRole, RoleBinding } from "@kedge/machinery/kinds/rbac/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { useOracle } from "./testing/use-oracle.ts";

const at = useOracle();

describe("who may do what", () => {
  it("refuses, with the user, the verb and the resource in the text", async () => {
    const jane = await at.oracle.clientFor("jane", ["dev"]);
    await expect(jane.of(Pod).list({ namespace: at.namespace }).all()).rejects.toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: `pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "${at.namespace}"`,
    });
    const review = await jane
      .of(SelfSubjectAccessReview)
      .create({ spec: { resourceAttributes: { namespace: at.namespace, verb: "list", resource: "pods" } } });
    expect(review.status.allowed).toBe(false);
  });

  it("impersonates users with groups, uid and extras", async () => {
    const name = `${at.namespace}-reader`;
    await at.client
      .of(ClusterRole)
      .create({ metadata: { name }, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }] });
    await at.client.of(RoleBinding).create({
      metadata: at.key("readers"),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "Group", name: "dev", apiGroup: "rbac.authorization.k8s.io" }],
    });
    const impersonate = {
      user: "eve",
      uid: "42",
      groups: ["dev", "ops"],
      extra: { "example.com/Team": ["a", "b"] },
    };
    const eve = connect({ ...at.oracle.adminConfig, impersonate });
    onTestFinished(() => eve.close());
    await expect
      .poll(() =>
        eve
          .of(Pod)
          .list({ namespace: at.namespace })
          .all()
          .then(({ items }) => items),
      )
      .toEqual([]);
    const whoami = await eve.discovery.kind({ group: "authentication.k8s.io", kind: "SelfSubjectReview" });
    const { status } = (await eve.of(whoami).create({ metadata: {} })) as unknown as {
      status: { userInfo: object };
    };
    expect(status.userInfo).toMatchObject({
      username: "eve",
      uid: "42",
      groups: ["dev", "ops", "system:authenticated"],
      extra: { "example.com/team": ["a", "b"] },
    });
  });

  it("a wrong token is Unauthorized", async () => {
    const config = {
      ...at.oracle.adminConfig,
      credentials: {
        current: () => Promise.resolve({ authorization: "Bearer wrong" }),
        refused: () => false,
      },
    };
    const nobody = connect(config);
    onTestFinished(() => nobody.close());
    await expect(nobody.of(Pod).list().all()).rejects.toMatchObject({ code: 401, reason: "Unauthorized" });
  });
});

it("tells the server's version and health", async () => {
  expect(await at.client.getJson("/version")).toMatchObject({
    major: "1",
    minor: "36",
    gitVersion: "v1.36.4",
  });
  expect(await at.client.getText("/readyz")).toBe("ok");
});

it("keeps a deadline against a real server too", async () => {
  const slow = at.client
    .of(ConfigMap)
    .list({ namespace: at.namespace, resourceVersion: "99999999", timeout: 500 })
    .all();
  await expect(slow).rejects.toMatchObject({ code: "DEADLINE" });
});
