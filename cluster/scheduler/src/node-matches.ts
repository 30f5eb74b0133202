import { tolerates, type DeepReadonly } from "@kedge/machinery";
import type { Node, NodeSelectorTerm, Pod, Taint, Toleration } from "@kedge/machinery/kinds/core/v1";

/** Whether a pod's node selector and required node affinity mean a node. */
export function isSelected(node: DeepReadonly<Node>, spec: DeepReadonly<Pod["spec"]>): boolean {
  const required =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const selected = Object.entries(spec.nodeSelector ?? {}).every(
    ([key, value]) => node.metadata.labels?.[key] === value,
  );
  return selected && (required === undefined || matchesTerms(node, required));
}

/** Whether any of the terms fits a node. */
export function matchesTerms(node: DeepReadonly<Node>, terms: DeepReadonly<NodeSelectorTerm[]>): boolean {
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    // An empty term fits nothing.
    if (matchExpressions.length + matchFields.length === 0) return false;
    const labels = node.metadata.labels ?? {};
    return (
      matchExpressions.every((expression) => fits(expression, labels[expression.key])) &&
      matchFields.every((field) =>
        fits(field, field.key === "metadata.name" ? node.metadata.name : undefined),
      )
    );
  });
}

type Expression = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
};

function fits({ operator, values = [] }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return integer(value) > integer(values[0]);
    case "Lt":
      return integer(value) < integer(values[0]);
    default:
      return false;
  }
}

/** Compared with anything, what is no integer is neither more nor less. */
function integer(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/u.test(text) ? Number(text) : Number.NaN;
}

/** The first taint that keeps new pods away and that none of the tolerations covers. */
export function untolerated(
  node: DeepReadonly<Node>,
  tolerations: DeepReadonly<Toleration[]>,
): DeepReadonly<Taint> | undefined {
  return (node.spec?.taints ?? [])
    .filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute")
    .find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}
