import {
  Evaluation,
  OutOfBudget,
  policyBudget,
  type AdmissionExpression,
  type AdmissionInput,
  type Evaluated,
} from "@kedge/validation";
import type { Pause } from "../../request/pause.ts";
import { conditionsHold } from "../matching/conditions.ts";
import type { CompiledValidation, ValidatingPolicy } from "./validating-policy.ts";

/** What a policy has against a request. */
export interface Denial {
  /** Which of its validations says so; the first when it is none of them. */
  readonly index: number;
  readonly message: string;
  /** Of the answer; undefined when something went wrong. */
  readonly reason?: string | undefined;
}

/** What a policy says of a request. */
export interface PolicyFindings {
  readonly denials: readonly Denial[];
  /** For the audit log. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

const longestMessage = 5 * 1024;

/** Evaluates a policy, an expression after the other: others are let in between them. */
export async function evaluatePolicy(
  policy: ValidatingPolicy,
  input: AdmissionInput,
  pause: Pause,
): Promise<PolicyFindings> {
  const { conditions, composition, validations } = policy.program();
  const failed = (message: string): PolicyFindings => ({
    denials: policy.ignoresFailure ? [] : [{ index: 0, message }],
    annotations: [],
  });
  const holds = conditionsHold(conditions, input);
  if (holds === false) return { denials: [], annotations: [] };
  if (holds !== true) return failed(holds.error);
  const evaluation = new Evaluation(input, policyBudget, composition);
  const denials: Denial[] = [];
  try {
    const results: Evaluated[] = [];
    for (const { expression } of validations) {
      await pause();
      results.push(evaluation.run(expression));
    }
    const messages = new Messages(input, evaluation.budget, composition);
    for (const [index, validation] of validations.entries()) {
      const result = results[index] ?? { error: "" };
      if ("error" in result) {
        if (!policy.ignoresFailure) denials.push({ index, message: result.error });
      } else if (result.value !== true) {
        await pause();
        denials.push(messages.denialOf(validation, index));
      }
    }
    return { denials, annotations: await annotationsOf(policy, input, { pause, denials }) };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

/** What is said of validations that do not hold. */
class Messages {
  readonly #evaluation: Evaluation;

  constructor(
    input: AdmissionInput,
    budget: number,
    composition: ConstructorParameters<typeof Evaluation>[2],
  ) {
    const { authorizer: _, ...known } = input;
    this.#evaluation = new Evaluation(known, budget, composition);
  }

  denialOf({ source, message: expression }: CompiledValidation, index: number): Denial {
    const { message = "", expression: text = "", reason = "Invalid" } = source;
    const shown = [this.#said(expression), message.trim(), `failed expression: ${text.trim()}`];
    return { index, message: shown.find((each) => each !== "") ?? "", reason };
  }

  /** Empty when the expression fails, or gives what cannot be shown. */
  #said(expression: AdmissionExpression | undefined): string {
    if (expression === undefined) return "";
    const result = this.#evaluation.run(expression);
    if ("error" in result || typeof result.value !== "string") return "";
    const text = result.value.trim();
    return Buffer.byteLength(text) > longestMessage || text.includes("\n") ? "" : text;
  }
}

async function annotationsOf(
  policy: ValidatingPolicy,
  input: AdmissionInput,
  { pause, denials }: { readonly pause: Pause; readonly denials: Denial[] },
): Promise<PolicyFindings["annotations"]> {
  const { annotations, composition } = policy.program();
  if (annotations.length === 0) return [];
  const { authorizer: _, ...known } = input;
  const evaluation = new Evaluation(known, policyBudget, composition);
  const found: { key: string; value: string }[] = [];
  for (const { key, value: expression } of annotations) {
    await pause();
    const result = evaluation.run(expression);
    if ("error" in result) {
      if (!policy.ignoresFailure) denials.push({ index: 0, message: result.error });
    } else if (typeof result.value === "string" && result.value.trim() !== "")
      found.push({ key, value: result.value.trim().slice(0, longestAnnotation) });
  }
  return found;
}

const longestAnnotation = 10 * 1024;
