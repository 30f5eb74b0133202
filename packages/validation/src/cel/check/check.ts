import type {
  Call,
  Expression,
  Fold,
  ListExpression,
  MapExpression,
  Select,
  Struct,
} from "../syntax/expression.ts";
import type { Issues } from "../syntax/issues.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  formatType,
  insideOptional,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  sameType,
  stringType,
  typeOfType,
  typeParam,
  uintType,
  type CelType,
} from "../values/types.ts";
import { Bytes, Uint } from "../values/values.ts";
import type { Environment, Overload } from "../values/environment.ts";
import { mostGeneral, Substitutions } from "./substitutions.ts";

/** What the checker found out about an expression. */
export interface Checked {
  readonly expression: Expression;
  typeOf(expression: Expression): CelType;
  /** What a name or a call refers to. */
  referenceOf(expression: Expression): Reference | undefined;
}

/** A variable or type by its full name, or a function with the overloads that may be meant. */
export type Reference =
  | { readonly variable: string; readonly type?: CelType }
  | {
      readonly name: string;
      readonly overloads: readonly Overload[];
      readonly target: Expression | undefined;
    };

/** Gives every part of an expression its type, or tells what does not fit. */
export function check(expression: Expression, environment: Environment, issues: Issues): Checked {
  const checker = new Checker(environment, issues);
  checker.check(expression);
  return checker.result(expression);
}

class Checker {
  readonly #environment: Environment;
  readonly #issues: Issues;
  readonly #types = new Map<Expression, CelType>();
  readonly #references = new Map<Expression, Reference>();
  readonly #substitutions = new Substitutions();
  readonly #scopes: Map<string, CelType>[] = [];
  #parameters = 0;

  constructor(environment: Environment, issues: Issues) {
    this.#environment = environment;
    this.#issues = issues;
  }

  result(expression: Expression): Checked {
    return {
      expression,
      typeOf: (part) => this.#substitutions.replace(this.#types.get(part) ?? dynType, true),
      referenceOf: (part) => this.#references.get(part),
    };
  }

  /** Macros may have a part twice, inside of each other: each is looked at once. */
  check(expression: Expression): CelType {
    const known = this.#types.get(expression);
    if (known !== undefined) return known;
    const type = this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case "literal":
        return typeOfLiteral(expression.value);
      case "ident":
        return this.#named(expression, expression.name) ?? this.#undeclared(expression.at, expression.name);
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "fold":
        return this.#fold(expression);
      default:
        return this.#struct(expression);
    }
  }

  #struct(struct: Struct): CelType {
    const made = this.#environment.structOf?.(absoluteName(struct.name));
    return made === undefined ? this.#noStruct(struct) : this.#made(struct, made);
  }

  #made({ fields }: Struct, type: CelType): CelType {
    for (const { at, name, value, optional } of fields) {
      const found = this.#environment.fieldOf(type.name, name);
      const sent = this.check(value);
      const given = optional ? this.#unwrapped(value, sent) : sent;
      if (found === undefined) this.#issues.add(at, `undefined field '${name}'`);
      else if (!this.#substitutions.assignable([given], [found]))
        this.#issues.add(
          at,
          `expected type of field '${name}' is '${formatType(found)}' but provided type is '${formatType(this.#substitutions.replace(given, true))}'`,
        );
    }
    return type;
  }

  /** What can be named, and is no type with fields. */
  #noStruct(struct: Struct): CelType {
    const named = this.#named(struct, struct.name);
    if (named === undefined) return this.#undeclared(struct.at, struct.name);
    const inside = named.kind === "type" ? named.params[0] : undefined;
    const what =
      inside === undefined ? `'${named.name}' is not a type` : `'${inside.name}' is not a message type`;
    this.#issues.add(struct.at, what);
    for (const { at, value } of struct.fields) {
      this.check(value);
      this.#issues.add(at, `unexpected failed resolution of '${struct.name}'`);
    }
    return errorType;
  }

  #undeclared(at: number, name: string): CelType {
    this.#issues.add(at, `undeclared reference to '${name}' (in container '')`);
    return errorType;
  }

  #mismatch(at: number, expected: CelType, found: CelType): void {
    this.#issues.add(at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  /** The type of a variable, or of the name of a type. */
  #named(expression: Expression, name: string): CelType | undefined {
    const absolute = absoluteName(name);
    for (const scope of this.#scopes.toReversed()) {
      const local = scope.get(absolute);
      if (local === undefined) continue;
      this.#references.set(expression, { variable: absolute });
      return local;
    }
    const { variables, types } = this.#environment;
    const variable = variables.get(absolute);
    const type = types.get(absolute);
    if (variable === undefined && type === undefined) return undefined;
    this.#references.set(
      expression,
      variable === undefined && type !== undefined ? { variable: absolute, type } : { variable: absolute },
    );
    return variable ?? typeOfType(type ?? dynType);
  }

  #select(select: Select): CelType {
    const qualified = select.test ? undefined : qualifiedName(select);
    const named = qualified === undefined ? undefined : this.#named(select, qualified);
    if (named !== undefined) return named;
    const field = this.#field(select.at, select.operand, select.field);
    return select.test ? boolType : this.#substitutions.replace(field, false);
  }

  /** The type of a field; optional when the operand is. */
  #field(at: number, operand: Expression, field: string, optional = false): CelType {
    const operandType = this.#substitutions.replace(this.check(operand), false);
    const inside = insideOptional(operandType);
    const found = this.#fieldOf(at, inside ?? operandType, field);
    return inside !== undefined || optional ? optionalOf(found) : found;
  }

  #fieldOf(at: number, type: CelType, field: string): CelType {
    switch (type.kind) {
      case "map":
        return type.params[1] ?? dynType;
      case "struct": {
        const found = this.#environment.fieldOf(type.name, field);
        if (found !== undefined) return found;
        this.#issues.add(at, `undefined field '${field}'`);
        return errorType;
      }
      case "param":
        this.#substitutions.assignable([dynType], [type]);
        return dynType;
      case "dyn":
      case "error":
        return dynType;
      default:
        this.#issues.add(at, `type '${formatType(type)}' does not support field selection`);
        return dynType;
    }
  }

  #call(call: Call): CelType {
    const { name, target, args, at } = call;
    const [operand, field] = args;
    if (
      name === "_?._" &&
      operand !== undefined &&
      field?.kind === "literal" &&
      typeof field.value === "string"
    ) {
      const overloads = this.#environment.functions.get(name) ?? [];
      this.#references.set(call, { name, overloads, target: undefined });
      this.#types.set(field, stringType);
      return this.#substitutions.replace(this.#field(at, operand, field.value, true), false);
    }
    const argTypes = args.map((arg) => this.check(arg));
    if (target === undefined) {
      return this.#resolved(call, absoluteName(name), undefined, argTypes);
    }
    const prefix = qualifiedName(target);
    const full = prefix === undefined ? "" : `${prefix}.${name}`;
    if (this.#environment.functions.has(full)) return this.#resolved(call, full, undefined, argTypes);
    return this.#resolved(call, name, target, [this.check(target), ...argTypes]);
  }

  #resolved(call: Call, name: string, target: Expression | undefined, types: readonly CelType[]): CelType {
    const overloads = this.#environment.functions.get(name);
    if (overloads === undefined) return this.#undeclared(call.at, name);
    if (name === "_&&_" || name === "_||_") return this.#logic(call, name, overloads);
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.member !== (target !== undefined)) continue;
      const fresh = this.#instantiate(overload);
      if (!this.#substitutions.assignable(types, fresh.args)) continue;
      found.push(overload);
      const type = this.#substitutions.replace(fresh.result, false);
      if (result === undefined) result = type;
      else if (result.kind !== "dyn" && !sameType(type, result)) result = dynType;
    }
    if (result === undefined) {
      const shown = types.map((type) => formatType(this.#substitutions.replace(type, true)));
      const receiver = target === undefined ? "" : `${shown.shift() ?? ""}.`;
      const signature = `${receiver}(${shown.join(", ")})`;
      this.#issues.add(call.at, `found no matching overload for '${name}' applied to '${signature}'`);
      return errorType;
    }
    this.#references.set(call, { name, overloads: found, target });
    return result;
  }

  #logic(call: Call, name: string, overloads: readonly Overload[]): CelType {
    const wrong = call.args.filter((arg) => {
      const type = this.#types.get(arg) ?? dynType;
      if (this.#substitutions.assignable([type], [boolType])) return false;
      this.#mismatch(arg.at, boolType, type);
      return true;
    });
    if (wrong.length > 0) return errorType;
    this.#references.set(call, { name, overloads, target: undefined });
    return boolType;
  }

  /** The types of an overload with parameters that nothing is known of yet. */
  #instantiate({ args, result }: Overload): { readonly args: readonly CelType[]; readonly result: CelType } {
    const names = new Map<string, CelType>();
    const fresh = (type: CelType): CelType => {
      if (type.kind === "param") {
        const known = names.get(type.name) ?? this.#newParameter();
        names.set(type.name, known);
        return known;
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(fresh) };
    };
    return { args: args.map(fresh), result: fresh(result) };
  }

  #newParameter(): CelType {
    this.#parameters += 1;
    return typeParam(`_var${this.#parameters - 1}`);
  }

  #list({ elements, optional }: ListExpression): CelType {
    let joined: CelType | undefined;
    for (const [index, element] of elements.entries()) {
      const type = this.check(element);
      joined = this.#join(joined, optional.has(index) ? this.#unwrapped(element, type) : type);
    }
    return listOf(joined ?? this.#newParameter());
  }

  #map({ entries }: MapExpression): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, this.check(key));
      const type = this.check(value);
      values = this.#join(values, optional ? this.#unwrapped(value, type) : type);
    }
    return mapOf(keys ?? this.#newParameter(), values ?? this.#newParameter());
  }

  #unwrapped(expression: Expression, type: CelType): CelType {
    const inside = insideOptional(type);
    if (inside === undefined && type.kind !== "dyn") this.#mismatch(expression.at, optionalOf(type), type);
    return inside ?? type;
  }

  /** What elements of a list have in common. Lists of several types are refused elsewhere: `format` may have them. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#substitutions.assignable([previous], [current]) ? mostGeneral(previous, current) : dynType;
  }

  #fold(fold: Fold): CelType {
    const rangeType = this.#substitutions.replace(this.check(fold.range), false);
    const accumulated = this.check(fold.init);
    this.#scopes.push(new Map([[fold.accumulator, accumulated]]));
    const [one, two] = this.#iterated(fold, rangeType);
    this.#scopes.push(
      new Map([[fold.variable, one], ...(fold.second === undefined ? [] : [[fold.second, two] as const])]),
    );
    this.check(fold.condition);
    this.#assert(fold.condition, boolType);
    this.check(fold.step);
    this.#assert(fold.step, accumulated);
    this.#scopes.pop();
    const result = this.check(fold.result);
    this.#scopes.pop();
    return this.#substitutions.replace(result, false);
  }

  /** Types of the variables of a loop. */
  #iterated({ range, second }: Fold, type: CelType): readonly [CelType, CelType] {
    const [first = dynType, value = dynType] = type.params;
    switch (type.kind) {
      case "list":
        return second === undefined ? [first, first] : [intType, first];
      case "map":
        return [first, value];
      case "dyn":
      case "error":
      case "param":
        this.#substitutions.assignable([dynType], [type]);
        return [dynType, dynType];
      default:
        this.#issues.add(
          range.at,
          `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  #assert(expression: Expression, type: CelType): void {
    const actual = this.#types.get(expression) ?? dynType;
    if (!this.#substitutions.assignable([type], [actual])) this.#mismatch(expression.at, type, actual);
  }
}

function typeOfLiteral(value: null | boolean | bigint | number | string | Uint | Bytes): CelType {
  if (value === null) return nullType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Bytes) return bytesType;
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "bigint":
      return intType;
    case "number":
      return doubleType;
    default:
      return stringType;
  }
}

function absoluteName(name: string): string {
  return name.startsWith(".") ? name.slice(1) : name;
}

/** `a.b.c` as one name; undefined when it is more than names. */
function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "ident") return expression.name;
  if (expression.kind !== "select" || expression.test) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}
