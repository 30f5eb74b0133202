import { expect, it } from "vitest";
import { startServer, type TestServer } from "../../../testing/start-server.ts";
import { parsePolicy } from "./parse-policy.ts";
import { reconcilePolicy } from "./reconcile-policy.ts";

const group = "/apis/rbac.authorization.k8s.io/v1";
const merge = { headers: { "content-type": "application/merge-patch+json" } };
const policy = parsePolicy(`
ClusterRole a >b
  get,list;,apps;pods,deployments;x
  get /healthz
ClusterRole b <b
ClusterRoleBinding a ClusterRole/a User/jane ServiceAccount/kube-system/robot
`);

async function reconciled(server: TestServer): Promise<void> {
  await reconcilePolicy(server.api.objects, policy);
}

it("reads roles and bindings out of the table", () => {
  const metadata = {
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
  expect(policy).toMatchObject([
    {
      kind: "ClusterRole",
      metadata: {
        name: "a",
        labels: { ...metadata.labels, "rbac.authorization.k8s.io/aggregate-to-b": "true" },
        annotations: metadata.annotations,
      },
      rules: [
        {
          verbs: ["get", "list"],
          apiGroups: ["", "apps"],
          resources: ["pods", "deployments"],
          resourceNames: ["x"],
        },
        { verbs: ["get"], nonResourceURLs: ["/healthz"] },
      ],
    },
    {
      metadata: { name: "b" },
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-b": "true" } }],
      },
    },
    {
      kind: "ClusterRoleBinding",
      roleRef: { kind: "ClusterRole", name: "a" },
      subjects: [
        { kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" },
        { kind: "ServiceAccount", namespace: "kube-system", name: "robot" },
      ],
    },
  ]);
});

it("adds what roles and bindings lack, keeps what they have beyond it, and changes nothing twice", async () => {
  await using server = await startServer();
  await reconciled(server);
  const own = [{ verbs: ["delete"], apiGroups: [""], resources: ["pods"] }];
  await server.ask("PATCH", `${group}/clusterroles/a`, { rules: own }, merge);
  const subjects = [{ kind: "User", name: "bob" }];
  await server.ask("PATCH", `${group}/clusterrolebindings/a`, { subjects }, merge);
  await reconciled(server);
  const role = await server.ask("GET", `${group}/clusterroles/a`);
  // 2 verbs of 2 groups and 2 resources, a path, and what was there.
  expect(role.body["rules"]).toHaveLength(8 + 1 + 1);
  const binding = await server.ask("GET", `${group}/clusterrolebindings/a`);
  expect(binding.body["subjects"]).toMatchObject([{ name: "bob" }, { name: "jane" }, { name: "robot" }]);
  await reconciled(server);
  const again = await server.ask("GET", `${group}/clusterroles/a`);
  expect(again.body.metadata.resourceVersion).toBe(role.body.metadata.resourceVersion);
});

it("leaves alone what says so", async () => {
  await using server = await startServer();
  await reconciled(server);
  const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
  await server.ask("PATCH", `${group}/clusterroles/a`, { metadata: { annotations }, rules: [] }, merge);
  await reconciled(server);
  expect((await server.ask("GET", `${group}/clusterroles/a`)).body["rules"]).toEqual(null);
});

it("puts another binding in the place of one to another role", async () => {
  await using server = await startServer();
  const roleRef = { kind: "ClusterRole", name: "other" };
  await server.ask("POST", `${group}/clusterrolebindings`, { metadata: { name: "a" }, roleRef });
  await reconciled(server);
  expect((await server.ask("GET", `${group}/clusterrolebindings/a`)).body["roleRef"]).toMatchObject({
    name: "a",
  });
});
