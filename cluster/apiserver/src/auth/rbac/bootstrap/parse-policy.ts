import type { ApiObject } from "../../../registry/types.ts";
import type { Rule } from "../rule.ts";

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1`;

/**
 * The roles and bindings of every cluster, out of their table. A line that begins with a kind begins an object:
 *
 *     ClusterRole edit <edit >admin      (its rules are those of roles for `edit`; it is for `admin` itself)
 *       get,list;,apps;pods,deployments  (a rule: verbs; groups, where nothing is the core group; resources; names)
 *       get /healthz,/livez              (a rule: verbs, paths)
 *     RoleBinding kube-system/a Role/b User/jane ServiceAccount/kube-system/robot
 */
export function parsePolicy(text: string): readonly ApiObject[] {
  const objects: ApiObject[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    if (!line.startsWith(" ")) {
      objects.push(objectOf(line));
      continue;
    }
    const last = objects.at(-1);
    if (last === undefined) throw new Error(`a rule before the first role: ${line}`);
    last["rules"] = [...rulesOf(last), ruleOf(line.trim())];
  }
  return objects;
}

function rulesOf({ rules }: ApiObject): readonly Rule[] {
  return Array.isArray(rules) ? (rules as readonly Rule[]) : [];
}

function objectOf(line: string): ApiObject {
  const [kind = "", place = "", ...rest] = line.split(" ");
  const [name = "", namespace] = place.split("/").toReversed();
  const marks = (sign: string): readonly string[] =>
    rest.filter((word) => word.startsWith(sign)).map((word) => `${group}/aggregate-to-${word.slice(1)}`);
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...asTrue(marks(">")) },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
  if (kind.endsWith("Binding")) {
    const [ref = "", ...subjects] = rest;
    const [refKind = "", refName = ""] = ref.split("/");
    const roleRef = { apiGroup: group, kind: refKind, name: refName };
    return { apiVersion, kind, metadata, subjects: subjects.map(subjectOf), roleRef };
  }
  const selectors = marks("<").map((label) => ({ matchLabels: asTrue([label]) }));
  const aggregationRule = { clusterRoleSelectors: selectors };
  return { apiVersion, kind, metadata, ...(selectors.length > 0 && { aggregationRule }) };
}

function asTrue(labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map((label) => [label, "true"]));
}

function subjectOf(text: string): Record<string, string> {
  const [kind = "", ...place] = text.split("/");
  const [name = "", namespace] = place.toReversed();
  return { kind, ...(namespace === undefined ? { apiGroup: group } : { namespace }), name };
}

function ruleOf(line: string): Rule {
  const [verbs = "", paths] = line.split(" ");
  if (paths !== undefined) return { verbs: verbs.split(","), nonResourceURLs: paths.split(",") };
  const [each = [], apiGroups, resources, resourceNames] = line.split(";").map((part) => part.split(","));
  return { verbs: each, apiGroups, resources, ...(resourceNames !== undefined && { resourceNames }) };
}
