import type { Expression } from "../syntax/expression.ts";
import type { Issues } from "../syntax/issues.ts";
import { parseDuration, parseTimestamp } from "../values/time.ts";
import { formatType, insideOptional, type CelType } from "../values/types.ts";
import { isError } from "../values/values.ts";
import type { Checked } from "./check.ts";
import { checkFormatCall } from "./format-calls.ts";

/** Complains about durations, timestamps and patterns that can be seen to be none, and lists of several types. */
export function checkLiterals(
  checked: Checked,
  issues: Issues,
  patternWrong: (pattern: string) => string | undefined,
): void {
  const wrong = (name: string, text: string): boolean => {
    if (name === "duration") return parseDuration(text) === undefined;
    if (name === "matches") return patternWrong(text) !== undefined;
    const time = name === "timestamp" ? parseTimestamp(text) : null;
    return time === undefined || isError(time);
  };
  const seen = new Set<Expression>();
  // What is formatted may be of several types.
  const open: { readonly part: Expression; readonly mixed: boolean }[] = [
    { part: checked.expression, mixed: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, mixed } = next;
    if (part.kind === "call") {
      checkFormatCall(part, checked, issues);
      const [first] = part.args;
      if (first?.kind === "literal" && typeof first.value === "string" && wrong(part.name, first.value)) {
        issues.add(first.at, `invalid ${part.name} argument`);
      }
    }
    if (part.kind === "list" && !mixed) {
      checkAlike(
        part.elements,
        (element, index) => unwrapped(checked.typeOf(element), part.optional.has(index)),
        issues,
      );
    }
    if (part.kind === "map" && !mixed) {
      checkAlike(
        part.entries.map(({ key }) => key),
        (key) => checked.typeOf(key),
        issues,
      );
      checkAlike(
        part.entries.map(({ value }) => value),
        (value, index) => unwrapped(checked.typeOf(value), part.entries[index]?.optional === true),
        issues,
      );
    }
    const inside = mixed || (part.kind === "call" && part.name === "format");
    for (const below of partsOf(part)) {
      if (seen.has(below)) continue;
      seen.add(below);
      open.push({ part: below, mixed: inside });
    }
  }
}

function unwrapped(type: CelType, optional: boolean): CelType {
  return optional ? (insideOptional(type) ?? type) : type;
}

function checkAlike(
  parts: readonly Expression[],
  typeOf: (part: Expression, index: number) => CelType,
  issues: Issues,
): void {
  const [first] = parts;
  if (first === undefined) return;
  const expected = typeOf(first, 0);
  for (const [index, part] of parts.entries()) {
    const found = typeOf(part, index);
    if (alike(expected, found)) continue;
    issues.add(part.at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
    return;
  }
}

function alike(a: CelType, b: CelType): boolean {
  if (a.kind === "param" || b.kind === "param") return a.kind === b.kind;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => alike(param, b.params[index] ?? param));
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "select":
      return [expression.operand];
    case "call":
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case "list":
      return expression.elements;
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "fold": {
      const { range, init, condition, step, result } = expression;
      return [range, init, condition, step, result];
    }
    default:
      return [];
  }
}
