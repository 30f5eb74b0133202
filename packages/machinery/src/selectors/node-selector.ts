import { isFulfilled, labelOf, type Labels, type SelectorOperator } from "./selector.ts";

/** What of a node is selected by. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: Labels;
}

/** A term of a node selector, with the fields of Kubernetes' `NodeSelectorTerm`. */
export interface NodeTerm {
  readonly matchExpressions?: readonly NodeRequirement[] | undefined;
  readonly matchFields?: readonly NodeRequirement[] | undefined;
}

interface NodeRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** What of a pod's spec selects nodes. */
interface PodSpecView {
  readonly nodeSelector?: Labels | undefined;
  readonly affinity?:
    | {
        readonly nodeAffinity?:
          | {
              readonly requiredDuringSchedulingIgnoredDuringExecution?:
                | { readonly nodeSelectorTerms: readonly NodeTerm[] }
                | undefined;
            }
          | undefined;
      }
    | undefined;
}

/** Whether a pod's node selector and required node affinity mean a node. */
export function selectsNode({ nodeSelector, affinity }: PodSpecView, node: SelectableNode): boolean {
  for (const key in nodeSelector) if (labelOf(node.labels, key) !== nodeSelector[key]) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeTerms(required.nodeSelectorTerms, node);
}

/** Whether any of the terms fits a node. */
export function matchesNodeTerms(terms: readonly NodeTerm[], node: SelectableNode): boolean {
  return terms.some((term) => matchesNodeTerm(term, node));
}

/** Whether a term fits a node. An empty one fits none. */
export function matchesNodeTerm(
  { matchExpressions = [], matchFields = [] }: NodeTerm,
  { name, labels }: SelectableNode,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((expression) => fits(expression, labelOf(labels, expression.key))) &&
    matchFields.every((field) => fits(field, field.key === "metadata.name" ? name : undefined))
  );
}

const operators: ReadonlyMap<string, SelectorOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

function fits({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  const known = operators.get(operator);
  return known !== undefined && isFulfilled(known, values, value);
}
