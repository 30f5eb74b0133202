import { compilePattern } from "../../pattern.ts";
import type { Checked } from "../check/check.ts";
import type { Overload } from "../values/environment.ts";
import { actualCostOf } from "../cost/actual-call.ts";
import { listCost, mapCost, structCost } from "../cost/range.ts";
import { allFunctions } from "../library/library.ts";
import type { Call, Expression, ListExpression, MapExpression, Struct } from "../syntax/expression.ts";
import { contains, equal, noSuchOverload, takeComparisons } from "../values/equality.ts";
import {
  CelError,
  Optional,
  PlainList,
  PlainMap,
  StructValue,
  TypeValue,
  isError,
  isList,
  isMap,
  keyOf,
  type Value,
} from "../values/values.ts";
import { access, accessOptionally, isPresent } from "./access.ts";
import { dispatch } from "./dispatch.ts";
import { planFold } from "./fold.ts";
import { addWork, charge, perComparison, type Frame, type Run } from "./frame.ts";

/** A part that is ready, and its value if that is always the same. */
export interface Planned {
  readonly run: Run;
  readonly constant?: { readonly value: Value };
}

/** Thrown when a constant part of an expression cannot have a value. */
export class PlanError extends Error {}

/** Makes an expression ready to run. */
export class Planner {
  readonly #checked: Checked;
  readonly #scopes: Map<string, number>[];
  readonly #planned = new Map<Expression, Planned>();
  #slots: number;

  constructor(checked: Checked, variables: readonly string[]) {
    this.#checked = checked;
    this.#scopes = [new Map(variables.map((name, index) => [name, index]))];
    this.#slots = variables.length;
  }

  /** How many variables there are in all. */
  get slots(): number {
    return this.#slots;
  }

  /** Makes room for variables of a loop, and plans what may name them. */
  within<T>(names: readonly string[], plan: (slots: readonly number[]) => T): T {
    const slots = names.map(() => {
      this.#slots += 1;
      return this.#slots - 1;
    });
    this.#scopes.push(new Map(names.map((name, index) => [name, slots[index] ?? 0])));
    const planned = plan(slots);
    this.#scopes.pop();
    return planned;
  }

  /** Macros may have a part twice, inside of each other: each is planned once. */
  plan(expression: Expression): Planned {
    const known = this.#planned.get(expression);
    if (known !== undefined) return known;
    const planned = this.#plan(expression);
    this.#planned.set(expression, planned);
    return planned;
  }

  #plan(expression: Expression): Planned {
    const reference = this.#checked.referenceOf(expression);
    if (reference !== undefined && "variable" in reference) {
      return reference.type === undefined
        ? this.#variable(reference.variable)
        : constant(new TypeValue(reference.type));
    }
    switch (expression.kind) {
      case "literal":
        return constant(expression.value);
      case "select": {
        const operand = this.plan(expression.operand).run;
        const { field, test } = expression;
        if (test) return { run: (frame) => isPresent(operand(frame), field) };
        return { run: charged(operand, (value) => access(value, field)) };
      }
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "fold":
        return { run: planFold(expression, this) };
      case "struct":
        return this.#struct(expression);
      default:
        throw new PlanError(`no such attribute: ${expression.name}`);
    }
  }

  #variable(name: string): Planned {
    const slot = this.#scopes.findLast((scope) => scope.has(name))?.get(name);
    if (slot === undefined) throw new PlanError(`no such attribute: ${name}`);
    return {
      run: (frame) => {
        charge(frame, 1);
        return frame.slots[slot] ?? null;
      },
    };
  }

  #call(call: Call): Planned {
    const reference = this.#checked.referenceOf(call);
    if (reference === undefined || "variable" in reference)
      throw new PlanError(`no such overload: ${call.name}`);
    const { name, overloads, target } = reference;
    const planned = [...(target === undefined ? [] : [target]), ...call.args].map((arg) => this.plan(arg));
    const args = planned.map(({ run }) => run);
    const [first = never, second = never, third = never] = args;
    switch (name) {
      case "_&&_":
        return { run: logic(first, second, false) };
      case "_||_":
        return { run: logic(first, second, true) };
      case "_?_:_":
        return { run: conditional(first, second, third) };
      case "_==_":
        return { run: compared(first, second, (same) => same) };
      case "_!=_":
        return { run: compared(first, second, (same) => !same) };
      case "@not_strictly_false":
        return {
          run: (frame) => {
            const value = first(frame);
            charge(frame, 1);
            return value !== false;
          },
        };
      case "@in":
        return { run: within(first, second, planned[1]?.constant?.value) };
      case "_[_]":
        return { run: keyed(first, second, access) };
      case "_[?_]":
      case "_?._":
        return { run: keyed(first, second, accessOptionally) };
      case "or":
        return {
          run: (frame) =>
            orElse(
              first(frame),
              () => second(frame),
              (value) => value,
            ),
        };
      case "orValue":
        return {
          run: (frame) =>
            orElse(
              first(frame),
              () => second(frame),
              ({ value = null }) => value,
            ),
        };
      default:
        return this.#function(name, overloads, planned);
    }
  }

  #function(name: string, found: readonly Overload[], args: readonly Planned[]): Planned {
    const all = allFunctions().get(name) ?? found;
    const member = found[0]?.member ?? false;
    const overloads = found.length === 1 ? found : all.filter((overload) => overload.member === member);
    const pattern = name === "find" || name === "findAll" ? args[1]?.constant?.value : undefined;
    const wrong = typeof pattern === "string" ? compilePattern(pattern).error : undefined;
    if (wrong !== undefined) throw new PlanError(wrong);
    const run = dispatch(
      name,
      overloads,
      args.map((arg) => arg.run),
    );
    if (!conversions.has(name) || args.length !== 1 || args[0]?.constant === undefined) return { run };
    const value = run({ slots: [], cost: 0, limit: Infinity, work: 0 });
    if (isError(value)) throw new PlanError(value.message);
    return constant(value);
  }

  #list({ elements, optional }: ListExpression): Planned {
    const planned = elements.map((element) => this.plan(element));
    const constants = planned.map((each) => each.constant?.value).filter((value) => value !== undefined);
    if (constants.length === planned.length && optional.size === 0 && planned.length > 0) {
      return constant(new PlainList(constants));
    }
    const runs = planned.map(({ run }) => run);
    return {
      run: (frame) => {
        const items: Value[] = [];
        for (const [index, run] of runs.entries()) {
          const value = run(frame);
          if (isError(value)) return value;
          if (!optional.has(index)) items.push(value);
          else if (!(value instanceof Optional)) {
            return new CelError("cannot initialize optional list element from non-optional value");
          } else if (value.value !== undefined) items.push(value.value);
        }
        charge(frame, listCost);
        return new PlainList(items);
      },
    };
  }

  #struct(struct: Struct): Planned {
    const type = this.#checked.typeOf(struct);
    if (type.kind !== "struct") throw new PlanError(`unknown type: ${struct.name}`);
    const planned = struct.fields.map(({ name, value, optional }) => ({
      name,
      value: this.plan(value).run,
      optional,
    }));
    return {
      run: (frame) => {
        const fields = new Map<string, Value>();
        for (const { name, value, optional } of planned) {
          const found = value(frame);
          if (isError(found)) return found;
          if (!optional) fields.set(name, found);
          else if (!(found instanceof Optional))
            return new CelError(`cannot initialize optional entry '${name}' from non-optional value`);
          else if (found.value !== undefined) fields.set(name, found.value);
        }
        charge(frame, structCost);
        return new StructValue(type, fields);
      },
    };
  }

  #map({ entries }: MapExpression): Planned {
    const planned = entries.map(({ key, value, optional }) => ({
      key: this.plan(key).run,
      value: this.plan(value).run,
      optional,
    }));
    return {
      run: (frame) => {
        const made = new Map<string, readonly [Value, Value]>();
        for (const { key, value, optional } of planned) {
          const [name, valued] = [key(frame), value(frame)];
          if (isError(name)) return name;
          if (isError(valued)) return valued;
          const id = keyOf(name);
          if (id === undefined) return new CelError("unsupported key type");
          if (!optional) made.set(id, [name, valued]);
          else if (!(valued instanceof Optional)) {
            return new CelError(`cannot initialize optional entry '${id.slice(1)}' from non-optional value`);
          } else if (valued.value !== undefined) made.set(id, [name, valued.value]);
        }
        charge(frame, mapCost);
        return new PlainMap(made);
      },
    };
  }
}

const conversions = new Set("bool bytes double duration int string timestamp uint".split(" "));

function constant(value: Value): Planned {
  return { run: () => value, constant: { value } };
}

const never: Run = () => noSuchOverload;

function charged(operand: Run, made: (value: Value) => Value): Run {
  return (frame) => {
    const value = operand(frame);
    if (isError(value)) return value;
    charge(frame, 1);
    return made(value);
  };
}

function keyed(operand: Run, key: Run, find: (value: Value, key: Value) => Value): Run {
  return (frame) => {
    const value = operand(frame);
    const at = key(frame);
    charge(frame, 1);
    return find(value, at);
  };
}

/** `&&` and `||`: one term that decides makes errors of the other not matter. */
function logic(first: Run, second: Run, decides: boolean): Run {
  return (frame) => {
    const one = first(frame);
    if (one === decides) return decides;
    const two = second(frame);
    if (two === decides) return decides;
    if (isError(one)) return one;
    if (typeof one !== "boolean") return noSuchOverload;
    if (isError(two)) return two;
    return typeof two === "boolean" ? two : noSuchOverload;
  };
}

function conditional(condition: Run, yes: Run, no: Run): Run {
  return (frame) => {
    const held = condition(frame);
    if (held === true) return yes(frame);
    if (held === false) return no(frame);
    return isError(held) ? held : noSuchOverload;
  };
}

function compared(first: Run, second: Run, shown: (same: boolean) => boolean): Run {
  const cost = actualCostOf("_==_", "equals");
  return (frame) => {
    const one = first(frame);
    if (isError(one)) return one;
    const two = second(frame);
    if (isError(two)) return two;
    charge(frame, cost([one, two], null));
    if (typeof one === "string") addWork(frame, one.length);
    const same = equal(one, two);
    addWork(frame, takeComparisons() * perComparison);
    return typeof same === "boolean" ? shown(same) : same;
  };
}

/** `in`: a list of constants is looked up at no cost. */
function within(item: Run, container: Run, constants: Value | undefined): Run {
  return (frame: Frame) => {
    const value = item(frame);
    if (isError(value)) return value;
    const where = constants ?? container(frame);
    if (isError(where)) return where;
    if (constants === undefined) charge(frame, isList(where) ? where.size : 1);
    if (isList(where)) {
      const found = contains(where, value);
      addWork(frame, takeComparisons() * perComparison);
      return found;
    }
    return isMap(where) ? where.find(value) !== undefined : noSuchOverload;
  };
}

function orElse(optional: Value, other: () => Value, shown: (optional: Optional) => Value): Value {
  if (!(optional instanceof Optional)) return optional;
  return optional.value === undefined ? other() : shown(optional);
}
