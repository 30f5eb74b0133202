import type { Checked } from "../check/check.ts";
import type { Call, Expression, Fold, ListExpression, MapExpression, Select } from "../syntax/expression.ts";
import { characters } from "../library/standard.ts";
import { insideOptional, type CelType } from "../values/types.ts";
import { Bytes } from "../values/values.ts";
import { estimateCall, unionOf, type CallEstimate, type Part } from "./estimate-call.ts";
import {
  exactly,
  listCost,
  mapCost,
  perCharacter,
  perPatternCharacter,
  plus,
  scaled,
  structCost,
  times,
  unbounded,
  union,
  unknownSize,
  type Range,
} from "./range.ts";

/** How large a value at a place of the schema may be: `["self", "list", "@items"]`. Undefined when nothing is known. */
export type SizeOf = (path: readonly string[]) => Range | undefined;

/** What an expression may cost at least and at most, whatever the values are. */
export function estimateCost(checked: Checked, sizeOf: SizeOf): Range {
  return new Estimator(checked, sizeOf).cost(checked.expression);
}

interface EntrySize {
  readonly kind: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySize | undefined;
}

const step = exactly(1);
const nothing = exactly(0);

class Estimator {
  readonly #checked: Checked;
  readonly #sizeOf: SizeOf;
  readonly #costs = new Map<Expression, Range>();
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #sizes = new Map<Expression, Range>();
  readonly #entries = new Map<Expression, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizeOf: SizeOf) {
    this.#checked = checked;
    this.#sizeOf = sizeOf;
  }

  /** Macros may have a part twice, inside of each other: each is looked at once. */
  cost(expression: Expression): Range {
    const known = this.#costs.get(expression);
    if (known !== undefined) return known;
    const cost = this.#cost(expression);
    this.#costs.set(expression, cost);
    return cost;
  }

  #cost(expression: Expression): Range {
    const reference = this.#checked.referenceOf(expression);
    if (reference !== undefined && "variable" in reference)
      return this.#ident(expression, reference.variable);
    switch (expression.kind) {
      case "literal":
      case "ident":
        return nothing;
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "fold":
        return isBinding(expression) ? this.#binding(expression) : this.#fold(expression);
      default:
        return plus(...expression.fields.map(({ value }) => this.cost(value)), exactly(structCost));
    }
  }

  #ident(expression: Expression, name: string): Range {
    this.#paths.set(expression, this.#local(name)?.path ?? [name]);
    return step;
  }

  #select(select: Select): Range {
    const operand = this.cost(select.operand);
    if (select.test) return operand;
    const { kind } = this.#checked.typeOf(select.operand);
    this.#paths.set(select, [...this.#pathOf(select.operand), select.field]);
    return kind === "map" || kind === "struct" || kind === "param" ? plus(operand, step) : operand;
  }

  #call(call: Call): Range {
    const reference = this.#checked.referenceOf(call);
    if (reference === undefined || "variable" in reference) return nothing;
    const { name, overloads, target } = reference;
    const [first] = call.args;
    if (name === "dyn" && first !== undefined) {
      const cost = this.cost(first);
      this.#copySizes(call, first);
      return plus(step, cost);
    }
    const argCosts = call.args.map((arg) => this.cost(arg));
    const args = call.args.map((arg) => this.#part(arg));
    const targetCost = target === undefined ? nothing : this.cost(target);
    const targetPart = target === undefined ? undefined : this.#part(target);
    let cost: Range | undefined;
    let size: Range | undefined;
    for (const { id } of overloads) {
      const known = estimateCall({ name, overload: id, target: targetPart, args });
      const estimate: CallEstimate =
        known === undefined
          ? this.#builtin(call, id, { args, argCosts, target: targetPart })
          : { ...known, cost: plus(known.cost, ...argCosts) };
      cost = cost === undefined ? estimate.cost : union(cost, estimate.cost);
      if (estimate.size !== undefined) size = unionOf(size, estimate.size);
      if (first !== undefined && (id === "index_list" || id === "index_map")) {
        size = this.#entrySize(first)?.value;
        this.#paths.set(call, [...this.#pathOf(first), id === "index_list" ? "@items" : "@values"]);
      }
      size ??= this.#size(call);
    }
    if (size !== undefined) this.#sizes.set(call, size);
    return plus(targetCost, cost ?? nothing);
  }

  /** What a function of CEL itself costs, with its arguments. */
  #builtin(
    call: Call,
    overload: string,
    {
      args,
      argCosts,
      target,
    }: { args: readonly Part[]; argCosts: readonly Range[]; target: Part | undefined },
  ): CallEstimate {
    const all = plus(...argCosts);
    const [first, second, third] = args;
    const [firstCost = nothing, secondCost = nothing, thirdCost = nothing] = argCosts;
    switch (overload) {
      case "string_format":
        if (target !== undefined) return { cost: plus(scaled(target.size, perCharacter), all) };
        break;
      case "string_to_bytes":
        if (first !== undefined) {
          return {
            cost: plus(scaled(first.size, perCharacter), all),
            size: { min: first.size.min, max: Math.min(unbounded, first.size.max * 4) },
          };
        }
        break;
      case "bytes_to_string":
        if (first !== undefined) {
          return {
            cost: plus(scaled(first.size, perCharacter), all),
            size: { min: Math.floor(first.size.min / 4), max: first.size.max },
          };
        }
        break;
      case "strings_quote":
        if (first !== undefined) {
          const size = { min: first.size.min + 2, max: Math.min(unbounded, first.size.max * 2 + 2) };
          return { cost: plus(scaled(first.size, perCharacter), all), size };
        }
        break;
      case "starts_with_string":
      case "ends_with_string":
        if (first !== undefined) return { cost: plus(scaled(first.size, perCharacter), all) };
        break;
      case "in_list":
        if (second !== undefined) return { cost: plus(second.size, all) };
        break;
      case "matches_string":
        if (target !== undefined && first !== undefined) {
          const text = scaled(plus(target.size, exactly(1)), perCharacter);
          return { cost: plus(times(text, scaled(first.size, perPatternCharacter)), all) };
        }
        break;
      case "contains_string":
        if (target !== undefined && first !== undefined) {
          return {
            cost: plus(times(scaled(target.size, perCharacter), scaled(first.size, perCharacter)), all),
          };
        }
        break;
      case "logical_or":
      case "logical_and":
        return { cost: { min: firstCost.min, max: plus(firstCost, secondCost).max } };
      case "conditional": {
        const entries = unionEntries(this.#entrySize(call.args[1]), this.#entrySize(call.args[2]));
        if (entries !== undefined) this.#entries.set(call, entries);
        const size = union(second?.size ?? unknownSize, third?.size ?? unknownSize);
        return { cost: plus(firstCost, union(secondCost, thirdCost)), size };
      }
      case "add_string":
      case "add_bytes":
      case "add_list": {
        const entries = unionEntries(this.#entrySize(call.args[0]), this.#entrySize(call.args[1]));
        if (entries !== undefined) this.#entries.set(call, entries);
        const size = plus(first?.size ?? unknownSize, second?.size ?? unknownSize);
        return { cost: plus(overload === "add_list" ? step : scaled(size, perCharacter), all), size };
      }
      default:
        if (!comparisons.has(overload)) break;
        return {
          cost: plus(
            scaled(compared(first?.size ?? unknownSize, second?.size ?? unknownSize), perCharacter),
            all,
          ),
        };
    }
    return { cost: plus(step, all) };
  }

  #list(list: ListExpression): Range {
    let items: Range = list.elements.length === 0 ? nothing : { min: unbounded, max: 0 };
    const costs = list.elements.map((element) => this.cost(element));
    for (const element of list.elements) items = union(items, this.#size(element) ?? unknownSize);
    this.#entries.set(list, { kind: "list", key: step, value: items });
    return plus(...costs, exactly(listCost));
  }

  #map(map: MapExpression): Range {
    const empty: Range = map.entries.length === 0 ? nothing : { min: unbounded, max: 0 };
    let [keys, values] = [empty, empty];
    const costs: Range[] = [];
    for (const { key, value } of map.entries) {
      costs.push(this.cost(key), this.cost(value));
      keys = union(keys, this.#size(key) ?? unknownSize);
      values = union(values, this.#size(value) ?? unknownSize);
    }
    this.#entries.set(map, { kind: "map", key: keys, value: values });
    return plus(...costs, exactly(mapCost));
  }

  #fold(fold: Fold): Range {
    const range = this.cost(fold.range);
    const init = this.cost(fold.init);
    this.#push(fold.accumulator, {
      path: this.#pathOf(fold.init),
      size: this.#size(fold.init),
      entries: this.#entrySize(fold.init),
    });
    this.#pushVariables(fold);
    const condition = this.cost(fold.condition);
    const loopStep = this.cost(fold.step);
    this.#locals.get(fold.variable)?.pop();
    if (fold.second !== undefined) this.#locals.get(fold.second)?.pop();
    const result = this.cost(fold.result);
    this.#locals.get(fold.accumulator)?.pop();
    const count = this.#size(fold.range) ?? unknownSize;
    if (fold.init.kind === "literal") {
      const size = this.#size(fold.init);
      if (size !== undefined) this.#sizes.set(fold, size);
    } else if (fold.init.kind === "list" || fold.init.kind === "map") {
      this.#sizes.set(fold, count);
      const entries = this.#entrySize(fold.step);
      if (entries !== undefined) this.#entries.set(fold, entries);
    }
    return plus(range, init, result, times(count, plus(loopStep, condition)));
  }

  #pushVariables({ range, variable, second }: Fold): void {
    const entries = this.#entrySize(range);
    const kind = entries?.kind ?? this.#checked.typeOf(range).kind;
    const path = this.#pathOf(range);
    const value = kind === "list" ? "@items" : "@values";
    if (second === undefined) {
      const size = kind === "list" ? entries?.value : entries?.key;
      this.#push(variable, {
        path: [...path, kind === "list" ? "@items" : "@keys"],
        size,
        entries: undefined,
      });
      return;
    }
    this.#push(variable, {
      path: [...path, kind === "list" ? "@indices" : "@keys"],
      size: entries?.key,
      entries: undefined,
    });
    this.#push(second, { path: [...path, value], size: entries?.value, entries: undefined });
  }

  #binding(fold: Fold): Range {
    const range = this.cost(fold.range);
    const init = this.cost(fold.init);
    this.#push(fold.accumulator, {
      path: this.#pathOf(fold.init),
      size: this.#size(fold.init),
      entries: this.#entrySize(fold.init),
    });
    const result = this.cost(fold.result);
    this.#locals.get(fold.accumulator)?.pop();
    this.#copySizes(fold, fold.result);
    return plus(range, init, result);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #pathOf(expression: Expression): readonly string[] {
    if (expression.kind === "ident") {
      const local = this.#local(expression.name);
      if (local !== undefined) return local.path;
    }
    return this.#paths.get(expression) ?? [];
  }

  #part(expression: Expression): Part {
    const type = this.#checked.typeOf(expression);
    const full = this.#pathOf(expression);
    const path = full[0] === "@result" ? [] : full;
    const [element] = type.params;
    return {
      expression,
      type,
      size: this.#size(expression) ?? unknownSize,
      items:
        element === undefined
          ? undefined
          : () => ({
              type: element,
              size: (path.length === 0 ? undefined : this.#sizeOf([...path, "@items"])) ?? unknownSize,
            }),
    };
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#size(from);
    if (size !== undefined) this.#sizes.set(to, size);
    const entries = this.#entrySize(from);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #size(expression: Expression): Range | undefined {
    const known = this.#sizes.get(expression) ?? sizeOfLiteral(expression);
    if (known !== undefined) return known;
    const path = this.#pathOf(expression);
    const estimated = path.length === 0 ? undefined : this.#sizeOf(path);
    if (estimated !== undefined) {
      this.#sizes.set(expression, estimated);
      return estimated;
    }
    if (isScalar(this.#checked.typeOf(expression))) return step;
    return expression.kind === "ident" ? this.#local(expression.name)?.size : undefined;
  }

  #entrySize(expression: Expression | undefined): EntrySize | undefined {
    if (expression === undefined) return undefined;
    const known = this.#entries.get(expression);
    if (known !== undefined || expression.kind !== "ident") return known;
    return this.#local(expression.name)?.entries;
  }
}

/** A loop over nothing is a name for a value. */
function isBinding({ range, condition, accumulator }: Fold): boolean {
  return (
    range.kind === "list" &&
    range.elements.length === 0 &&
    condition.kind === "literal" &&
    condition.value === false &&
    accumulator !== "__result__"
  );
}

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function compared(a: Range, b: Range): Range {
  const max = Math.min(a.max, b.max);
  return { min: max > 0 ? 1 : 0, max };
}

const comparisons = new Set([
  "equals",
  "not_equals",
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name) => [
    `${name}_string`,
    `${name}_bytes`,
  ]),
]);

function sizeOfLiteral(expression: Expression): Range | undefined {
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      if (typeof value === "string") return exactly(characters(value));
      return exactly(value instanceof Bytes ? value.data.length : 1);
    }
    case "list":
      return exactly(expression.elements.length);
    case "map":
      return exactly(expression.entries.length);
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  const inside = insideOptional(type);
  if (inside !== undefined) return isScalar(inside);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
