import type { DeepReadonly } from "@kedge/machinery";
import type { NodeSelectorTerm, Pod } from "@kedge/machinery/kinds/core/v1";
import { labelOf } from "./label.ts";
import type { NodeInfo } from "./node-info.ts";

/** What of a node terms look at. */
export type SelectableNode = Pick<NodeInfo, "name" | "labels">;

/** Whether a pod's node selector and required node affinity mean a node. */
export function isSelected(node: SelectableNode, spec: DeepReadonly<Pod["spec"]>): boolean {
  const { nodeSelector } = spec;
  for (const key in nodeSelector) if (labelOf(node.labels, key) !== nodeSelector[key]) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesTerms(node, required.nodeSelectorTerms);
}

/** Whether any of the terms fits a node. */
export function matchesTerms(node: SelectableNode, terms: DeepReadonly<NodeSelectorTerm[]>): boolean {
  return terms.some((term) => matchesTerm(node, term));
}

/** Whether a term fits a node. An empty one fits none. */
export function matchesTerm(
  { name, labels }: SelectableNode,
  { matchExpressions = [], matchFields = [] }: DeepReadonly<NodeSelectorTerm>,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((expression) => fits(expression, labelOf(labels, expression.key))) &&
    matchFields.every((field) => fits(field, field.key === "metadata.name" ? name : undefined))
  );
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
