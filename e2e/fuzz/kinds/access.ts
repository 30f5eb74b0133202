import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { labelSelector } from "./values.ts";

const group = "rbac.authorization.k8s.io";

/** Roles and their bindings. Of rules there is one at least: an empty list is stored as none, but its sender owns it. */
export const accessKinds: readonly FuzzKind[] = [
  kind("Role", `namespaces/${fuzzNamespace}/roles`, (choose) => ({
    rules: choose.list(3, () => rule(choose, "namespaced"), 1),
  })),
  kind("ClusterRole", "clusterroles", (choose) =>
    choose.fields({
      rules: [90, () => choose.list(3, () => rule(choose, "cluster"), 1)],
      aggregationRule: [20, () => ({ clusterRoleSelectors: choose.list(2, () => labelSelector(choose)) })],
    }),
  ),
  kind("RoleBinding", `namespaces/${fuzzNamespace}/rolebindings`, (choose) => binding(choose, "Role")),
  kind("ClusterRoleBinding", "clusterrolebindings", (choose) => binding(choose, "ClusterRole")),
];

function kind(name: string, path: string, make: FuzzKind["make"]): FuzzKind {
  return {
    apiVersion: `${group}/v1`,
    kind: name,
    path: `/apis/${group}/v1/${path}`,
    strategic: true,
    make,
  };
}

function rule(choose: Chooser, scope: "namespaced" | "cluster"): JsonObject {
  const verbs = (): unknown => choose.list(2, () => choose.one(["get", "*", "use"], [""]), 1);
  if (scope === "cluster" && choose.maybe(30)) {
    return choose.fields({
      verbs: [100, verbs],
      nonResourceURLs: [100, () => choose.list(2, () => choose.one(["/a", "/a/*", "*"], [""]), 1)],
    });
  }
  return choose.fields({
    verbs: [100, verbs],
    apiGroups: [100, () => choose.list(2, () => choose.one(["", "apps", "*"], ["A"]), 1)],
    resources: [100, () => choose.list(2, () => choose.one(["pods", "pods/log", "*/scale"], [""]), 1)],
    resourceNames: [30, () => choose.list(2, () => choose.one(["a", "b"], [""]), 1)],
  });
}

function binding(choose: Chooser, role: string): JsonObject {
  return choose.fields({
    roleRef: [
      100,
      () =>
        choose.fields({
          apiGroup: [70, () => choose.one([group], ["", "apps"])],
          kind: [100, () => choose.one([role, "ClusterRole"], ["User", ""])],
          name: [100, () => choose.one(["a", "system:b"], ["", "a/b", ".."])],
        }),
    ],
    subjects: [90, () => choose.list(3, () => subject(choose))],
  });
}

function subject(choose: Chooser): JsonObject {
  const of = choose.one(["User", "Group", "ServiceAccount"], ["Robot", ""]);
  return choose.fields({
    kind: [100, () => of],
    name: [100, () => choose.one(["a", "b"], ["", "A_b"])],
    apiGroup: [30, () => choose.one([of === "ServiceAccount" ? "" : group], ["apps", group, ""])],
    namespace: [of === "ServiceAccount" ? 95 : 5, () => "default"],
  });
}
