import { goQuote } from "@kedge/machinery";
import type { Check } from "./check.ts";
import type { Findings, Outcome } from "./findings.ts";

/** The compiled parts of a schema that are schemas for the same value. */
export interface Alternatives {
  readonly anyOf: readonly Check[];
  readonly oneOf: readonly Check[];
  readonly allOf: readonly Check[];
  readonly not: Check | undefined;
}

/** Checks anyOf, oneOf, allOf and not. Of failed alternatives the one is told that most checks of held for. */
export function compileAlternativesCheck(alternatives: Alternatives): Check | undefined {
  const { anyOf, oneOf, allOf, not } = alternatives;
  const checks: Check[] = [];
  if (anyOf.length > 0) checks.push((...parts) => checkAnyOf(anyOf, ...parts));
  if (oneOf.length > 0) checks.push((...parts) => checkOneOf(oneOf, ...parts));
  if (allOf.length > 0) checks.push((...parts) => checkAllOf(allOf, ...parts));
  if (not !== undefined) checks.push((...parts) => checkNot(not, ...parts));
  if (checks.length === 0) return undefined;
  return (value, findings, previous) => {
    for (const check of checks) check(value, findings, previous);
  };
}

function checkAnyOf(checks: readonly Check[], value: unknown, findings: Findings, previous: unknown): void {
  let best: Outcome | undefined;
  for (const check of checks) {
    const outcome = findings.apart(() => check(value, findings, previous));
    if (outcome.errors.length === 0) {
      findings.merge(outcome);
      return;
    }
    if (best === undefined || outcome.matches > best.matches) best = outcome;
  }
  findings.addToRoot(`${goQuote(findings.path)} must validate at least one schema (anyOf)`);
  if (best !== undefined) findings.merge(best);
}

function checkOneOf(checks: readonly Check[], value: unknown, findings: Findings, previous: unknown): void {
  const valid: Outcome[] = [];
  let best: Outcome | undefined;
  for (const check of checks) {
    const outcome = findings.apart(() => check(value, findings, previous));
    if (outcome.errors.length === 0) valid.push(outcome);
    else if (best === undefined || outcome.matches > best.matches) best = outcome;
  }
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) {
    findings.merge(first);
    return;
  }
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  findings.addToRoot(`${goQuote(findings.path)} must validate one and only one schema (oneOf). ${found}`);
  if (valid.length === 0 && best !== undefined) findings.merge(best);
}

function checkAllOf(checks: readonly Check[], value: unknown, findings: Findings, previous: unknown): void {
  let valid = 0;
  for (const check of checks) {
    const outcome = findings.apart(() => check(value, findings, previous));
    if (outcome.errors.length === 0) valid += 1;
    findings.merge(outcome);
  }
  if (valid === checks.length) return;
  findings.addToRoot(
    `${goQuote(findings.path)} must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`,
  );
}

function checkNot(check: Check, value: unknown, findings: Findings, previous: unknown): void {
  const outcome = findings.apart(() => check(value, findings, previous));
  if (outcome.errors.length > 0) return;
  findings.addToRoot(`${goQuote(findings.path)} must not validate the schema (not)`);
}
