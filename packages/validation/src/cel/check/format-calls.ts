import type { Call, Expression } from "../syntax/expression.ts";
import type { Issues } from "../syntax/issues.ts";
import { clausesOf, clauseWrong } from "../library/format-text.ts";
import type { CelType, Kind } from "../values/types.ts";
import type { Checked } from "./check.ts";

/** Complains about `"…".format([…])` whose clauses and arguments can be seen not to fit. */
export function checkFormatCall({ name, target, args, at }: Call, checked: Checked, issues: Issues): void {
  const [list] = args;
  if (
    name !== "format" ||
    target?.kind !== "literal" ||
    typeof target.value !== "string" ||
    list?.kind !== "list"
  )
    return;
  let used = 0;
  for (const clause of clausesOf(target.value)) {
    const arg = list.elements[used];
    if (arg === undefined) {
      issues.add(at, `index ${used} out of range`);
      return;
    }
    used += 1;
    if ("wrong" in clause) {
      issues.add(at, clause.wrong);
      return;
    }
    const bad =
      clause.verb === "s" ? unprintable(arg, checked) : unless(kinds.get(clause.verb) ?? [], arg, checked);
    if (bad === undefined) continue;
    issues.add(bad.at, clauseWrong(clause.verb, checked.typeOf(bad)));
    return;
  }
  if (list.elements.length > used) {
    issues.add(
      at,
      `too many arguments supplied to string.format (expected ${used}, got ${list.elements.length})`,
    );
  }
}

const kinds: ReadonlyMap<string, readonly Kind[]> = new Map([
  ["d", ["int", "uint"]],
  ["f", ["double", "string"]],
  ["e", ["double", "string"]],
  ["b", ["int", "uint", "bool"]],
  ["x", ["int", "uint", "string", "bytes"]],
  ["X", ["int", "uint", "string", "bytes"]],
  ["o", ["int", "uint"]],
]);

const printable: readonly Kind[] = [
  "list",
  "map",
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "timestamp",
  "bytes",
  "duration",
  "type",
  "null",
];

function unless(allowed: readonly Kind[], expression: Expression, checked: Checked): Expression | undefined {
  const { kind }: CelType = checked.typeOf(expression);
  return kind === "dyn" || allowed.includes(kind) ? undefined : expression;
}

/** The first part of a literal that has no text. */
function unprintable(expression: Expression, checked: Checked): Expression | undefined {
  const own = unless(printable, expression, checked);
  if (own !== undefined) return own;
  const parts =
    expression.kind === "list"
      ? expression.elements
      : expression.kind === "map"
        ? expression.entries.flatMap(({ key, value }) => [key, value])
        : [];
  for (const part of parts) {
    const bad = unprintable(part, checked);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
