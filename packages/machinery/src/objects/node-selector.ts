/** What of a node is selected by. */
interface NodeView {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

interface Term {
  readonly matchExpressions?: readonly Requirement[] | undefined;
  readonly matchFields?: readonly Requirement[] | undefined;
}

/** What of a pod selects nodes. */
interface PodSpecView {
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly affinity?:
    | {
        readonly nodeAffinity?:
          | {
              readonly requiredDuringSchedulingIgnoredDuringExecution?:
                | { readonly nodeSelectorTerms: readonly Term[] }
                | undefined;
            }
          | undefined;
      }
    | undefined;
}

/** Whether a pod's node selector and required node affinity mean a node. */
export function selectsNode({ nodeSelector, affinity }: PodSpecView, node: NodeView): boolean {
  const { name, labels = {} } = node.metadata;
  const isChosen = Object.entries(nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    isChosen &&
    (required === undefined || required.nodeSelectorTerms.some((term) => fitsTerm(term, name, labels)))
  );
}

/** An empty term fits nothing. */
function fitsTerm(
  { matchExpressions = [], matchFields = [] }: Term,
  name: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((expression) => fits(expression, labels[expression.key])) &&
    matchFields.every((field) => fits(field, field.key === "metadata.name" ? name : undefined))
  );
}

function fits({ operator, values = [] }: Requirement, value: string | undefined): boolean {
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
