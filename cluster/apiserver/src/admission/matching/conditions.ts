import { isJsonObject } from "@kedge/machinery";
import {
  Evaluation,
  matchBudget,
  OutOfBudget,
  type AdmissionExpression,
  type AdmissionInput,
  type Evaluated,
} from "@kedge/validation";

/** Whether all conditions hold; or why that cannot be told. One that does not hold decides, whatever the others say. */
export function conditionsHold(
  conditions: readonly AdmissionExpression[],
  input: AdmissionInput,
): boolean | { readonly error: string } {
  if (conditions.length === 0) return true;
  const evaluation = new Evaluation(input, matchBudget);
  const errors: string[] = [];
  for (const condition of conditions) {
    const evaluated = evaluate(evaluation, condition);
    if (evaluated instanceof OutOfBudget) return { error: evaluated.message };
    if ("error" in evaluated) errors.push(evaluated.error);
    else if (evaluated.value === false) return false;
  }
  return errors.length === 0 ? true : { error: aggregate(errors) };
}

function evaluate(evaluation: Evaluation, condition: AdmissionExpression): Evaluated | OutOfBudget {
  try {
    return evaluation.run(condition);
  } catch (error) {
    if (error instanceof OutOfBudget) return error;
    throw error;
  }
}

/** Several errors as Kubernetes puts them together. */
function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}

/** What is evaluated of a namespace: its owners and managers are nobody's business. */
export function namespaceView(namespace: unknown): unknown {
  if (!isJsonObject(namespace)) return null;
  const { metadata, spec, status } = namespace;
  const { ownerReferences: _, managedFields: __, ...shown } = isJsonObject(metadata) ? metadata : {};
  return { metadata: shown, spec, status };
}
