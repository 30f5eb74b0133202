import { fieldErrorsText, fieldInvalid, type FieldError } from "../errors/field-error.ts";
import { parseInt64 } from "../values/int64.ts";
import { validateLabelValue, validateQualifiedName } from "../objects/names.ts";

/** How a requirement relates a label to its values, in Kubernetes' spelling. */
export type SelectorOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One condition on one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/** A parsed label selector: all requirements must hold. Frozen, and sorted by key. */
export interface Selector {
  readonly requirements: readonly Requirement[];
  /** False for the selector that matches nothing. */
  readonly selectable: boolean;
}

/** Labels as objects hold them. */
export type Labels = Readonly<Record<string, string>>;

/** The selector that matches every object. */
export function everything(): Selector {
  return everythingSelector;
}

/** The selector that matches no object. It prints as an empty text, so never send it to a server. */
export function nothing(): Selector {
  return nothingSelector;
}

/** A selector of requirements that are all to hold. */
export function selectorOf(requirements: readonly Requirement[]): Selector {
  const sorted = requirements.toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
  return Object.freeze({ requirements: Object.freeze(sorted), selectable: true });
}

/** A checked requirement. Throws with all that is wrong with it, in Kubernetes' words. */
export function newRequirement(
  key: string,
  operator: SelectorOperator,
  values: readonly string[],
): Requirement {
  const errors = [
    ...joined("key", key, validateQualifiedName(key)),
    ...countErrors(operator, values),
    ...values.flatMap((value, i) => joined(`values[${i}][${key}]`, value, validateLabelValue(value))),
  ];
  if (errors.length > 0) throw new TypeError(fieldErrorsText(errors));
  return Object.freeze({ key, operator, values: Object.freeze([...values]) });
}

/** Whether the labels fulfil the selector. */
export function selectorMatches(selector: Selector, labels: Labels | undefined = {}): boolean {
  return (
    selector.selectable &&
    selector.requirements.every(({ key, operator, values }) =>
      isFulfilled(operator, values, labelOf(labels, key)),
    )
  );
}

/** The value of a label. "constructor" is a valid key, and every object inherits one. */
export function labelOf(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === "string" ? value : undefined;
}

/** Whether a value, undefined where there is none, is what an operator and its values ask for. */
export function isFulfilled(
  operator: SelectorOperator,
  values: readonly string[],
  value: string | undefined,
): boolean {
  return operators[operator].holds(value, values);
}

/** Prints a selector as Kubernetes does and `parseSelector` reads: `a=b,c in (x,y),!d`. */
export function selectorToString(selector: Selector): string {
  return selector.requirements
    .map(({ key, operator, values }) => operators[operator].print(key, values.toSorted().join(",")))
    .join(",");
}

/** The one value that a selector demands of a label, if it demands one. */
export function exactLabelOf(selector: Selector, key: string): string | undefined {
  const requirement = selector.requirements.find((candidate) => candidate.key === key);
  if (requirement === undefined || requirement.values.length !== 1) return undefined;
  return ["=", "==", "in"].includes(requirement.operator) ? requirement.values[0] : undefined;
}

const everythingSelector: Selector = selectorOf([]);
const nothingSelector: Selector = Object.freeze({ ...everythingSelector, selectable: false });

/** One complaint about a key or value that lists all its faults. */
function joined(field: string, value: string, faults: readonly string[]): FieldError[] {
  return faults.length === 0 ? [] : [fieldInvalid(field, value, faults.join("; "))];
}

/** The complaints about how many values there are, and about those that must be numbers. */
function countErrors(operator: SelectorOperator, values: readonly string[]): FieldError[] {
  const fault = operators[operator].countFault(values.length);
  // An empty list reaches Kubernetes' message as Go's nil.
  const errors =
    fault === undefined ? [] : [fieldInvalid("values", values.length === 0 ? null : values, fault)];
  if (operator !== "gt" && operator !== "lt") return errors;
  const rule = "for 'Gt', 'Lt' operators, the value must be an integer";
  return errors.concat(
    values.flatMap((value, i) =>
      typeof parseInt64(value) === "bigint" ? [] : [fieldInvalid(`values[${i}]`, value, rule)],
    ),
  );
}

interface OperatorRules {
  /** Whether a label's value, if it is there, fulfils the requirement. */
  readonly holds: (value: string | undefined, values: readonly string[]) => boolean;
  readonly print: (key: string, list: string) => string;
  readonly countFault: (count: number) => string | undefined;
}

const operators: Readonly<Record<SelectorOperator, OperatorRules>> = {
  "=": { holds: isAmong, print: (key, list) => `${key}=${list}`, countFault: unlessOne },
  "==": { holds: isAmong, print: (key, list) => `${key}==${list}`, countFault: unlessOne },
  "!=": { holds: isNotAmong, print: (key, list) => `${key}!=${list}`, countFault: unlessOne },
  in: { holds: isAmong, print: (key, list) => `${key} in (${list})`, countFault: unlessSome },
  notin: { holds: isNotAmong, print: (key, list) => `${key} notin (${list})`, countFault: unlessSome },
  exists: { holds: (value) => value !== undefined, print: (key) => key, countFault: unlessNone },
  "!": { holds: (value) => value === undefined, print: (key) => `!${key}`, countFault: unlessNone },
  gt: {
    holds: (value, [bound]) => isGreater(value, bound),
    print: (key, list) => `${key}>${list}`,
    countFault: unlessOneNumber,
  },
  lt: {
    holds: (value, [bound]) => isGreater(bound, value),
    print: (key, list) => `${key}<${list}`,
    countFault: unlessOneNumber,
  },
};

function isAmong(value: string | undefined, values: readonly string[]): boolean {
  return value !== undefined && includes(values, value);
}

function isNotAmong(value: string | undefined, values: readonly string[]): boolean {
  return value === undefined || !includes(values, value);
}

/** Long lists are looked up in, as a selector is held against very many objects. */
const setsOfValues = new WeakMap<readonly string[], ReadonlySet<string>>();

function includes(values: readonly string[], value: string): boolean {
  if (values.length < 16) return values.includes(value);
  let set = setsOfValues.get(values);
  if (set === undefined) {
    set = new Set(values);
    setsOfValues.set(values, set);
  }
  return set.has(value);
}

function isGreater(a: string | undefined, b: string | undefined): boolean {
  const [left, right] = [parseInt64(a ?? ""), parseInt64(b ?? "")];
  return typeof left === "bigint" && typeof right === "bigint" && left > right;
}

function unlessOne(count: number): string | undefined {
  return count === 1 ? undefined : "exact-match compatibility requires one single value";
}

function unlessSome(count: number): string | undefined {
  return count > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty";
}

function unlessNone(count: number): string | undefined {
  return count === 0 ? undefined : "values set must be empty for exists and does not exist";
}

function unlessOneNumber(count: number): string | undefined {
  return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
}
