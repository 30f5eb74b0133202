import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { rbacFiles } from "../commands/generate/rbac.ts";
import { operatorAccount, operatorRules } from "./operator-rights.ts";

it("gives the operators of `up` what they ask for, and no more (else: vitest run -u this file)", async () => {
  const { namespace, serviceAccount, prefix } = operatorAccount;
  const role = `ClusterRole ${prefix}-manager-role`;
  const text = [
    "/**",
    " * The rights of the operators, as `operator-rights.ts` finds them: written down here because the server, which needs",
    " * them when it starts, does not load operators for that. `vitest run -u cli/src/cluster/operator-role.test.ts` writes",
    " * it anew.",
    " */",
    "export const operatorRole = `",
    role,
    ...operatorRules().map(({ verbs, apiGroups, resources }) =>
      [verbs, apiGroups, resources].map(String).join(";").replace(/^/u, "  "),
    ),
    `ClusterRoleBinding ${prefix}-manager-rolebinding ${role.replace(" ", "/")} ServiceAccount/${namespace}/${serviceAccount}`,
    "`;",
    "",
  ].join("\n");
  await expect(text).toMatchFileSnapshot("operator-role.ts");
});

const files = rbacFiles();

it.each([...files])("has the newest config/rbac/%s (else: kedge generate rbac)", async (name, text) => {
  await expect(text).toMatchFileSnapshot(`../../../config/rbac/${name}`);
});

it("has no other file in config/rbac", async () => {
  const found = await readdir(new URL("../../../config/rbac", import.meta.url));
  expect(found.toSorted()).toEqual([...files.keys()].toSorted());
});

it("has all of it in config/kustomization.yaml, for `kubectl apply -k config`", async () => {
  const config = new URL("../../../config/", import.meta.url);
  const { resources } = parse(await readFile(new URL("kustomization.yaml", config), "utf8")) as {
    readonly resources: readonly string[];
  };
  const definitions = (await readdir(new URL("crd/bases", config))).map((name) => `crd/bases/${name}`);
  const roles = [...files.keys()].map((name) => `rbac/${name}`);
  expect(resources.toSorted()).toEqual(["namespace.yaml", ...definitions, ...roles].toSorted());
});
