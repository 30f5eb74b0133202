import {
  fieldForbidden,
  fieldInternalError,
  fieldInvalid,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import { unbounded } from "../cel/cost/range.ts";
import { additionalOf, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";
import { compileRules, type CompiledRule, type Rule } from "./compile-rules.ts";
import { atLeastZero, Declarations, type Declared } from "./declared.ts";
import { escapeName } from "./escape.ts";
import { hasRules } from "./rule-node.ts";

/** What one expression, and all of a schema, may be estimated to cost. */
const perExpression = 10_000_000;
const perSchema = 100_000_000;

/** All that is wrong with the rules of a schema that is otherwise right: they do not compile, or may cost too much. */
export function* checkRuleExpressions(schema: JsonSchema, path: FieldPath): Steps<FieldError[]> {
  if (!hasRules(schema)) return [];
  const declarations = new Declarations();
  const errors: FieldError[] = [];
  const total = new TotalCost();
  yield* checkNode(
    { schema, path, declared: declarations.of(schema, true), cardinality: 1, uncorrelatable: undefined },
    { declarations, errors, total },
  );
  return [...errors, ...total.errors(path)];
}

interface Node {
  readonly schema: JsonSchema;
  readonly path: FieldPath;
  readonly declared: Declared | undefined;
  /** How often such values may be in an object; undefined when nothing limits it. */
  readonly cardinality: number | undefined;
  /** The part around it whose items cannot be told apart. */
  readonly uncorrelatable: FieldPath | undefined;
}

interface Context {
  readonly declarations: Declarations;
  readonly errors: FieldError[];
  readonly total: TotalCost;
}

function* checkNode(node: Node, context: Context): Steps<void> {
  const { schema, path, declared, uncorrelatable } = node;
  if (!hasRules(schema)) return;
  const cardinality = multiplied(node.cardinality, elementsOf(schema));
  const [items, additional] = [itemsOf(schema), additionalOf(schema)];
  if (additional !== undefined) {
    const part = declared?.element ?? context.declarations.of(additional);
    yield* checkNode(
      {
        schema: additional,
        path: path.child("additionalProperties"),
        declared: part,
        cardinality,
        uncorrelatable,
      },
      context,
    );
  }
  for (const [name, property] of propertiesOf(schema)) {
    const escaped = escapeName(name);
    const part =
      (escaped === undefined ? undefined : declared?.fields?.get(escaped)) ??
      context.declarations.of(property);
    yield* checkNode(
      {
        schema: property,
        path: path.child("properties").key(name),
        declared: part,
        cardinality,
        uncorrelatable,
      },
      context,
    );
  }
  if (items !== undefined) {
    const part = declared?.element ?? context.declarations.of(items);
    const keyed = schema["x-kubernetes-list-type"] === "map";
    yield* checkNode(
      {
        schema: items,
        path: path.child("items"),
        declared: part,
        cardinality,
        uncorrelatable: keyed ? uncorrelatable : (uncorrelatable ?? path),
      },
      context,
    );
  }
  yield* checkOwn(node, context);
}

function* checkOwn(
  { schema, path, declared, cardinality, uncorrelatable }: Node,
  { errors, total }: Context,
): Steps<void> {
  const place = path.child("x-kubernetes-validations");
  if ((schema["x-kubernetes-validations"] ?? []).length === 0) return;
  if (declared === undefined) {
    const why =
      "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
    errors.push(fieldInternalError(place, new Error(why)));
    return;
  }
  const times = cardinality ?? Math.floor((3 * 1024 * 1024) / (declared.minSize + 1));
  let index = 0;
  for (const compiled of compileRules(schema, declared)) {
    yield;
    if (compiled === undefined) continue;
    for (const error of complaints(compiled, place.index(index), { times, total, uncorrelatable }))
      errors.push(error);
    index += 1;
  }
}

function complaints(
  compiled: CompiledRule,
  place: FieldPath,
  {
    times,
    total,
    uncorrelatable,
  }: { readonly times: number; readonly total: TotalCost; readonly uncorrelatable: FieldPath | undefined },
): FieldError[] {
  const { rule, error, messageError, message, messageMaxCost, usesOldSelf } = compiled;
  const errors: FieldError[] = [];
  const cost = multiplied(compiled.maxCost, times) ?? unbounded;
  if (cost > perExpression)
    errors.push(fieldForbidden(place.child("rule"), tooCostly("estimated rule cost", cost, perExpression)));
  total.add(place.child("rule"), cost);
  if (error !== undefined) errors.push(fieldInvalid(place.child("rule"), printed(rule), error));
  if (messageError !== undefined)
    errors.push(fieldInvalid(place.child("messageExpression"), printed(rule), messageError));
  else if (message !== undefined) {
    const expression = place.child("messageExpression");
    if (messageMaxCost > perExpression) {
      errors.push(
        fieldForbidden(
          expression,
          tooCostly("estimated messageExpression cost", messageMaxCost, perExpression),
        ),
      );
    }
    total.add(expression, messageMaxCost);
  }
  if (usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable.toString()}`;
    errors.push(fieldInvalid(place.child("rule"), rule.rule ?? "", detail));
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = "may not be set if oldSelf is not used in rule";
    errors.push(fieldInvalid(place.child("optionalOldSelf"), rule.optionalOldSelf, detail));
  }
  return errors;
}

/** A rule as the server prints it: all fields, by their names in Go. */
function printed(rule: Rule): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ["Rule", rule.rule ?? ""],
    ["Message", rule.message ?? ""],
    ["MessageExpression", rule.messageExpression ?? ""],
    ["Reason", rule.reason ?? null],
    ["FieldPath", rule.fieldPath ?? ""],
    ["OptionalOldSelf", rule.optionalOldSelf ?? null],
  ]);
}

/** How many parts a value of a schema may have; undefined when nothing limits them. */
function elementsOf({ type, additionalProperties, maxProperties, maxItems }: JsonSchema): number | undefined {
  if (type === "array") return atLeastZero(maxItems);
  if (type !== "object" || additionalProperties === undefined) return 1;
  return atLeastZero(maxProperties);
}

function multiplied(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(unbounded, a * b);
}

function tooCostly(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown =
    factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** What all rules of a schema may cost, and which of them cost most. */
class TotalCost {
  #total = 0;
  #mostExpensive: { readonly path: FieldPath; readonly cost: number }[] = [];

  add(path: FieldPath, cost: number): void {
    this.#total = Math.min(unbounded, this.#total + cost);
    if (cost < perSchema / 100) return;
    this.#mostExpensive = [...this.#mostExpensive, { path, cost }]
      .toSorted((a, b) => b.cost - a.cost)
      .slice(0, 4);
  }

  errors(path: FieldPath): FieldError[] {
    if (this.#total <= perSchema) return [];
    const contributed =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#mostExpensive.map((each) => fieldForbidden(each.path, contributed)),
      fieldForbidden(path, tooCostly(what, this.#total, perSchema)),
    ];
  }
}
