import { goQuote } from "@kedge/machinery";
import { costLimitExceeded } from "../cel/values/limits.ts";
import { isError, type Value } from "../cel/values/values.ts";
import type { CompiledRule } from "./compile-rules.ts";

/** What the expression for a message gave: no text when the rule's own message is to be told instead. */
export interface RuleMessage {
  readonly text?: string;
  readonly cost: number;
  /** Nothing more may be evaluated. */
  readonly fatal?: string;
}

/** Bytes that a message may have. */
const longest = 5 * 1024;

/** Evaluates the expression for the message of a rule that is not kept. */
export function messageOf(
  { rule, message }: CompiledRule,
  variables: ReadonlyMap<string, Value>,
  { perCall, budget }: { readonly perCall: number; readonly budget: number },
): RuleMessage {
  if (message === undefined) return { cost: 0 };
  const { value, cost } = message.run(variables, perCall);
  if (cost > budget) {
    const fatal =
      "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
    return { cost, fatal };
  }
  if (isError(value) && value.message === costLimitExceeded) {
    const source = goQuote(rule.messageExpression ?? "");
    return {
      cost,
      fatal: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
    };
  }
  if (typeof value !== "string") return { cost };
  const text = value.trim();
  if (text === "" || text.includes("\n") || Buffer.byteLength(text) > longest) return { cost };
  return { cost, text };
}
