import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@kedge/machinery/kinds/rbac/v1";
import { startOracle } from "./oracle.ts";

// Writes down the roles and bindings that a real server has from the start, for ours to have the same:
//     node --conditions=kedge-source e2e/real/record-policy.ts

const file = "../../cluster/apiserver/src/auth/rbac/bootstrap/policy-text.ts";

await using oracle = await startOracle();
const lines: string[] = [];
const { admin } = oracle;
for (const { metadata, rules, aggregationRule } of (await admin.of(ClusterRole).list().all()).items) {
  const marks = Object.keys(metadata.labels ?? {}).flatMap((label) => markOf(">", label));
  const sources = (aggregationRule?.clusterRoleSelectors ?? []).flatMap(({ matchLabels }) =>
    Object.keys(matchLabels ?? {}).flatMap((label) => markOf("<", label)),
  );
  lines.push(["ClusterRole", metadata.name, ...sources, ...marks].join(" "), ...ruleLines(rules));
}
for (const { metadata, rules } of (await admin.of(Role).list().all()).items)
  lines.push(`Role ${placeOf(metadata)}`, ...ruleLines(rules));
for (const binding of (await admin.of(ClusterRoleBinding).list().all()).items)
  lines.push(bindingLine("ClusterRoleBinding", binding.metadata.name, binding));
for (const binding of (await admin.of(RoleBinding).list().all()).items)
  lines.push(bindingLine("RoleBinding", placeOf(binding.metadata), binding));
await writeFile(
  join(import.meta.dirname, file),
  `// Recorded from a real Kubernetes by e2e/real/record-policy.ts: not to be edited.

/** The roles and bindings of every cluster; how to read it is said in \`parse-policy.ts\`. */
export const policyText = \`
${lines.join("\n")}
\`;
`,
);

function ruleLines(rules: Role["rules"]): readonly string[] {
  return (rules ?? []).map(({ verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs }) => {
    if (nonResourceURLs !== undefined) return `  ${verbs.join(",")} ${nonResourceURLs.join(",")}`;
    const parts = [verbs, apiGroups, resources, ...(resourceNames === undefined ? [] : [resourceNames])];
    return `  ${parts.map((words) => words.join(",")).join(";")}`;
  });
}

function bindingLine(
  kind: string,
  place: string,
  { roleRef, subjects = [] }: Pick<RoleBinding, "roleRef" | "subjects">,
): string {
  const whom = subjects.map((subject) => `${subject.kind}/${placeOf(subject)}`);
  return [kind, place, `${roleRef.kind}/${roleRef.name}`, ...whom].join(" ");
}

function markOf(sign: string, label: string): readonly string[] {
  const prefix = "rbac.authorization.k8s.io/aggregate-to-";
  return label.startsWith(prefix) ? [`${sign}${label.slice(prefix.length)}`] : [];
}

function placeOf({
  name,
  namespace,
}: {
  readonly name: string;
  readonly namespace?: string | undefined;
}): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
