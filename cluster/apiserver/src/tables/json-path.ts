import { parseJsonExactly } from "@kedge/machinery";
/** One step of a path through JSON. */
export type JsonPathStep =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "slice"; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly type: "every" }
  | { readonly type: "deep" }
  | {
      readonly type: "filter";
      readonly path: readonly JsonPathStep[];
      readonly compare: Comparison | undefined;
    };

/** What a filter compares with. */
export interface Comparison {
  readonly operator: "==" | "!=" | "<" | "<=" | ">" | ">=";
  readonly value: unknown;
}

/**
 * Reads a path as custom resource definitions have them: `.spec.list[*].name`, `.status.conditions[?(@.type=="Ready")]
 * .status`, `.metadata.labels['a.b']`, `.a\.b`. Undefined when it is not one.
 */
export function parseJsonPath(text: string): readonly JsonPathStep[] | undefined {
  const steps: JsonPathStep[] = [];
  let rest = text.replace(/^\$/u, "");
  if (!rest.startsWith(".") && !rest.startsWith("[")) rest = `.${rest}`;
  while (rest !== "") {
    const read = readStep(rest);
    if (read === undefined) return undefined;
    steps.push(...read.steps);
    rest = rest.slice(read.length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** All values at a path, in order. */
export function findByJsonPath(path: readonly JsonPathStep[], value: unknown): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const step of path) found = found.flatMap((each) => follow(step, each));
  return found;
}

interface ReadStep {
  readonly steps: readonly JsonPathStep[];
  readonly length: number;
}

const stepPattern =
  /^(?:(?<deep>\.\.)(?=[^.])|\.?\[(?<bracket>(?:'[^']*'|"(?:[^"\\]|\\.)*"|[^\]'"])*)\]|\.(?<every>\*)|\.(?<field>(?:\\.|[^.[\]*\\])+))/u;

function readStep(text: string): ReadStep | undefined {
  const match = stepPattern.exec(text);
  if (match === null) return undefined;
  const { deep, bracket, every, field } = match.groups ?? {};
  // `..name` is a deep step, then a plain one: the second dot is read again.
  if (deep !== undefined) return { steps: [{ type: "deep" }], length: 1 };
  const { length } = match[0];
  if (every !== undefined) return { steps: [{ type: "every" }], length };
  if (field !== undefined)
    return { steps: [{ type: "field", name: field.replaceAll(/\\(.)/gu, "$1") }], length };
  const step = readBracket((bracket ?? "").trim());
  return step === undefined ? undefined : { steps: [step], length };
}

function readBracket(text: string): JsonPathStep | undefined {
  if (text === "*") return { type: "every" };
  if (/^-?\d+$/u.test(text)) return { type: "index", index: Number(text) };
  const slice = /^(?<from>-?\d+)?:(?<to>-?\d+)?$/u.exec(text)?.groups;
  if (slice !== undefined) return { type: "slice", from: numberOf(slice["from"]), to: numberOf(slice["to"]) };
  const quoted = /^(?:'(?<single>.*)'|"(?<double>.*)")$/u.exec(text)?.groups;
  if (quoted !== undefined) return { type: "field", name: quoted["single"] ?? quoted["double"] ?? "" };
  const filter = /^\?\(\s*@(?<path>.*?)\s*(?:(?<operator>==|!=|<=|>=|<|>)\s*(?<value>.*?)\s*)?\)$/u.exec(
    text,
  )?.groups;
  return filter === undefined ? undefined : readFilter(filter);
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function readFilter(groups: Readonly<Record<string, string | undefined>>): JsonPathStep | undefined {
  const path = groups["path"] === "" ? [] : parseJsonPath(groups["path"] ?? "");
  if (path === undefined) return undefined;
  const operator = operators.find((each) => each === groups["operator"]);
  if (operator === undefined) return { type: "filter", path, compare: undefined };
  return { type: "filter", path, compare: { operator, value: literalOf(groups["value"] ?? "") } };
}

const operators = ["==", "!=", "<=", ">=", "<", ">"] as const;

function literalOf(text: string): unknown {
  const single = /^'(?<content>.*)'$/u.exec(text)?.groups?.["content"];
  if (single !== undefined) return single;
  try {
    return parseJsonExactly(text);
  } catch {
    return text;
  }
}

function follow(step: JsonPathStep, value: unknown): readonly unknown[] {
  switch (step.type) {
    case "field":
      return fieldOf(value, step.name);
    case "index":
      return Array.isArray(value) && value.at(step.index) !== undefined ? [value.at(step.index)] : [];
    case "slice":
      return Array.isArray(value) ? value.slice(step.from, step.to) : [];
    case "every":
      return childrenOf(value);
    case "deep":
      return [value, ...childrenOf(value).flatMap((child) => follow(step, child))];
    case "filter":
      return childrenOf(value).filter((child) => passes(step, child));
  }
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const found = Object.entries(value).find(([key]) => key === name);
  return found === undefined ? [] : [found[1]];
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function passes(step: JsonPathStep & { readonly type: "filter" }, child: unknown): boolean {
  const [left] = findByJsonPath(step.path, child);
  if (step.compare === undefined) return left !== undefined;
  if (left === undefined) return false;
  const { operator, value } = step.compare;
  const order = typeof left === typeof value ? compareScalars(left, value) : undefined;
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order !== undefined && order < 0;
    case "<=":
      return order !== undefined && order <= 0;
    case ">":
      return order !== undefined && order > 0;
    case ">=":
      return order !== undefined && order >= 0;
  }
}

function compareScalars(one: unknown, other: unknown): number | undefined {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one === "bigint" && typeof other === "bigint") return one < other ? -1 : one > other ? 1 : 0;
  if (typeof one === "string" && typeof other === "string") return one < other ? -1 : one > other ? 1 : 0;
  if (typeof one === "boolean" && typeof other === "boolean") return Number(one) - Number(other);
  return undefined;
}
