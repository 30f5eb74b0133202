import {
  fieldDuplicate,
  fieldErrorText,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  isJsonList,
  isJsonObject,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import { costLimitExceeded } from "../cel/values/limits.ts";
import { Optional, isError, type Value } from "../cel/values/values.ts";
import type { CompiledRule, Rule } from "./compile-rules.ts";
import { Correlation, oldItems } from "./correlation.ts";
import { messageOf } from "./rule-message.ts";
import type { RuleNode } from "./rule-node.ts";
import { valueOf } from "./json-values.ts";

/** What rules are asked about. */
export interface RuleSubject {
  readonly value: unknown;
  /** What stood there before; undefined when nothing did. */
  readonly previous?: unknown;
  /** Where the value is; undefined for the root of a resource. */
  readonly at?: FieldPath | undefined;
  /** Only warn of what an update left as it was. */
  readonly ratchets?: boolean | undefined;
  /** What evaluation may cost in all; as much as for a whole object if not given. */
  readonly budget?: number | undefined;
}

/** What rules found. */
export interface RuleFindings {
  readonly errors: FieldError[];
  /** Errors about what was wrong before and did not change. */
  readonly warnings: string[];
  /** What is left of the budget; below 0 when there was not enough, and rules were left out. */
  budget: number;
}

/** What one rule may cost for one value, and what all may cost for one object. */
const perCall = 1_000_000;
export const perObject = 10_000_000;
/** After so much work others are let in. */
const costOfStep = 10_000;

/** Asks all rules about a value and its parts, in steps. */
export function* validateRules(root: RuleNode, subject: RuleSubject): Steps<RuleFindings> {
  const { value, previous, at, ratchets, budget = perObject } = subject;
  const findings = { errors: [], warnings: [], budget };
  const walk = new Walk(findings);
  const correlation = ratchets === true ? Correlation.of(value, previous, root.schema) : Correlation.none;
  const finished = yield* walk.node(root, { value, old: previous, at, correlation });
  if (!finished) findings.budget = -1;
  return findings;
}

interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly at: FieldPath | undefined;
  readonly correlation: Correlation;
}

const exhausted =
  "validation failed due to running out of cost budget, no further validation rules will be run";

class Walk {
  readonly #findings: RuleFindings;
  #sinceStep = 0;

  constructor(findings: RuleFindings) {
    this.#findings = findings;
  }

  /** Whether to go on. */
  *node(node: RuleNode, place: Place): Steps<boolean> {
    const { value, old, at, correlation } = place;
    if (value === null || value === undefined) return true;
    if (node.hasRules && !(yield* this.#rules(node, place))) return false;
    if (isJsonList(value) && node.items !== undefined) {
      const oldItem = oldItems(node.schema, old);
      for (const [index, item] of value.entries()) {
        const before = oldItem(item);
        const part = {
          value: item,
          old: before,
          at: (at ?? fieldPath("")).index(index),
          correlation: correlation.index(item, before),
        };
        if (!(yield* this.node(node.items, part))) return false;
      }
    }
    if (!isJsonObject(value)) return true;
    for (const [key, part] of Object.entries(value)) {
      const before = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
      const below = { value: part, old: before, correlation: correlation.key(key) };
      if (node.additional !== undefined) {
        if (!(yield* this.node(node.additional, { ...below, at: (at ?? fieldPath("")).key(key) })))
          return false;
      }
      const property = node.properties.get(key);
      if (property === undefined) continue;
      if (!(yield* this.node(property, { ...below, at: at === undefined ? fieldPath(key) : at.child(key) })))
        return false;
    }
    return true;
  }

  *#rules(node: RuleNode, place: Place): Steps<boolean> {
    let rules = node.rules();
    for (; rules === undefined; rules = node.rules()) yield;
    const type = node.schema.type ?? "";
    if (this.#findings.budget <= 0) {
      this.#findings.errors.push(fieldInvalid(pathText(place.at), type, exhausted));
      return false;
    }
    const oldValue = place.old === null ? undefined : place.old;
    const self = valueOf(place.value, node.valueSchema);
    const oldSelf = oldValue === undefined ? undefined : valueOf(oldValue, node.valueSchema);
    for (const rule of rules) {
      if (!this.#rule(rule, { ...place, self, oldSelf, type })) return false;
      if (this.#sinceStep < costOfStep) continue;
      this.#sinceStep = 0;
      yield;
    }
    return true;
  }

  #rule(
    compiled: CompiledRule,
    place: Place & { self: Value; oldSelf: Value | undefined; type: string },
  ): boolean {
    const { rule, program, usesOldSelf } = compiled;
    const { self, oldSelf, type } = place;
    const where = pathText(place.at);
    if (compiled.error !== undefined) {
      this.#findings.errors.push(fieldInvalid(where, type, `rule compile error: ${compiled.error}`));
      return true;
    }
    const optional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && oldSelf === undefined && !optional)) return true;
    const variables = new Map<string, Value>([["self", self]]);
    if (optional) variables.set("oldSelf", oldSelf === undefined ? Optional.none : new Optional(oldSelf));
    else if (oldSelf !== undefined) variables.set("oldSelf", oldSelf);
    const { value, cost } = program.run(variables, perCall);
    this.#sinceStep += cost + 10;
    if (cost > this.#findings.budget) {
      this.#findings.errors.push(fieldInvalid(where, type, exhausted));
      return false;
    }
    this.#findings.budget -= cost;
    if (isError(value)) return this.#failed(value.message, compiled, place, type);
    if (value === true) return true;
    return this.#violated(compiled, place, variables);
  }

  /** The rule could not be evaluated. */
  #failed(message: string, { rule }: CompiledRule, place: Place, type: string): boolean {
    const where = pathText(place.at);
    const name = nameOf(rule);
    if (message === costLimitExceeded) {
      const detail = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
      this.#findings.errors.push(fieldInvalid(where, type, detail));
      return false;
    }
    const detail = message.startsWith("no such overload")
      ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
      : `${message} evaluating rule: ${name}`;
    this.#findings.errors.push(fieldInvalid(where, type, detail));
    return true;
  }

  /** The rule is not kept. */
  #violated(
    compiled: CompiledRule,
    place: Place & { type: string },
    variables: ReadonlyMap<string, Value>,
  ): boolean {
    const { rule, usesOldSelf, fieldPath: below } = compiled;
    const field =
      below === "" ? pathText(place.at) : place.at === undefined ? below : place.at.child(below).toString();
    const tell = (error: FieldError): void => {
      if (!usesOldSelf && place.correlation.unchanged) this.#findings.warnings.push(fieldErrorText(error));
      else this.#findings.errors.push(error);
    };
    const { text, cost, fatal } = messageOf(compiled, variables, { perCall, budget: this.#findings.budget });
    if (fatal !== undefined) {
      tell(fieldInvalid(field, place.type, fatal));
      return false;
    }
    this.#findings.budget -= cost;
    this.#sinceStep += cost;
    tell(
      errorFor(rule, field, { detail: text ?? defaultMessage(rule), value: place.value, type: place.type }),
    );
    return true;
  }
}

function pathText(at: FieldPath | undefined): string {
  return at === undefined ? "<nil>" : at.toString();
}

function nameOf({ rule = "", message = "" }: Rule): string {
  return message === "" ? rule.trim() : message.trim();
}

function defaultMessage(rule: Rule): string {
  return (rule.message ?? "") === "" ? `failed rule: ${nameOf(rule)}` : nameOf(rule);
}

function errorFor(
  { reason }: Rule,
  field: string,
  { detail, value, type }: { readonly detail: string; readonly value: unknown; readonly type: string },
): FieldError {
  // What is large is not repeated.
  const compound = type === "object" || type === "array";
  switch (reason) {
    case "FieldValueForbidden":
      return fieldForbidden(field, detail);
    case "FieldValueRequired":
      return fieldRequired(field, detail);
    case "FieldValueDuplicate":
      return compound ? { type: "FieldValueDuplicate", field, detail: "" } : fieldDuplicate(field, value);
    default:
      return compound ? { type: "FieldValueInvalid", field, detail } : fieldInvalid(field, value, detail);
  }
}
