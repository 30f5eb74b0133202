import type { Call, Expression, Fold } from "./expression.ts";

/** What a macro was called with wrongly, and where. */
interface Wrong {
  readonly at: number;
  readonly wrong: string;
}

/** The variable that macros fold into: no expression can name it. */
export const accumulator = "@result";

/** What a call of a macro stands for; undefined when it is none. */
export function expandMacro(call: Call): Expression | Wrong | undefined {
  const style = call.target === undefined ? "" : ".";
  return macros.get(`${style}${call.name}/${call.args.length}`)?.(call);
}

type Macro = (call: Call) => Expression | Wrong;

const macros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ["has/1", has],
  [".all/2", (call) => withVariable(call, (variable) => all(call, variable))],
  [".all/3", (call) => withTwo(call, (one, two) => all(call, one, two))],
  [".exists/2", (call) => withVariable(call, (variable) => exists(call, variable))],
  [".exists/3", (call) => withTwo(call, (one, two) => exists(call, one, two))],
  [".exists_one/2", (call) => withVariable(call, (variable) => existsOne(call, variable))],
  [".exists_one/3", (call) => withTwo(call, (one, two) => existsOne(call, one, two))],
  [".existsOne/3", (call) => withTwo(call, (one, two) => existsOne(call, one, two))],
  [".map/2", (call) => withVariable(call, (variable) => toList(call, variable), notAnIdentifier)],
  [".map/3", (call) => withVariable(call, (variable) => toList(call, variable), notAnIdentifier)],
  [".filter/2", (call) => withVariable(call, (variable) => filter(call, variable), notAnIdentifier)],
  [".transformList/3", (call) => withTwo(call, (one, two) => toList(call, one, two))],
  [".transformList/4", (call) => withTwo(call, (one, two) => toList(call, one, two))],
  [".transformMap/3", (call) => withTwo(call, (one, two) => toMap(call, one, two))],
  [".transformMap/4", (call) => withTwo(call, (one, two) => toMap(call, one, two))],
  [".transformMapEntry/3", (call) => withTwo(call, (one, two) => toEntries(call, one, two))],
  [".transformMapEntry/4", (call) => withTwo(call, (one, two) => toEntries(call, one, two))],
  [".optMap/2", (call) => optional(call, "optMap", true)],
  [".optFlatMap/2", (call) => optional(call, "optFlatMap", false)],
  [".sortBy/2", sortBy],
]);

const notAnIdentifier = "argument is not an identifier";
const notSimple = "argument must be a simple name";
const overwrites = "iteration variable overwrites accumulator variable";

function has({ at, args }: Call): Expression | Wrong {
  const field = argOf(args, 0);
  if (field.kind !== "select") return { at: field.at, wrong: "invalid argument to has() macro" };
  return { ...field, at, test: true };
}

function withVariable(
  { args }: Call,
  made: (variable: string) => Expression,
  complaint = notSimple,
): Expression | Wrong {
  const named = argOf(args, 0);
  if (named.kind !== "ident") return { at: named.at, wrong: complaint };
  return isAccumulator(named.name) ? { at: named.at, wrong: overwrites } : made(named.name);
}

function withTwo({ args }: Call, made: (one: string, two: string) => Expression): Expression | Wrong {
  const [first, second] = [argOf(args, 0), argOf(args, 1)];
  if (first.kind !== "ident") return { at: first.at, wrong: notSimple };
  if (second.kind !== "ident") return { at: second.at, wrong: notSimple };
  if (first.name === second.name) return { at: second.at, wrong: `duplicate variable name: ${first.name}` };
  for (const { name, at } of [first, second]) if (isAccumulator(name)) return { at, wrong: overwrites };
  return made(first.name, second.name);
}

function isAccumulator(name: string): boolean {
  return name === accumulator || name === "__result__";
}

function all(call: Call, variable: string, second?: string): Expression {
  const { at } = call;
  return fold(call, variable, second, {
    init: literal(at, true),
    condition: called(at, "@not_strictly_false", accu(at)),
    step: called(at, "_&&_", accu(at), lastOf(call.args)),
    result: accu(at),
  });
}

function exists(call: Call, variable: string, second?: string): Expression {
  const { at } = call;
  return fold(call, variable, second, {
    init: literal(at, false),
    condition: called(at, "@not_strictly_false", called(at, "!_", accu(at))),
    step: called(at, "_||_", accu(at), lastOf(call.args)),
    result: accu(at),
  });
}

function existsOne(call: Call, variable: string, second?: string): Expression {
  const { at } = call;
  return fold(call, variable, second, {
    init: literal(at, 0n),
    condition: literal(at, true),
    step: called(at, "_?_:_", lastOf(call.args), called(at, "_+_", accu(at), literal(at, 1n)), accu(at)),
    result: called(at, "_==_", accu(at), literal(at, 1n)),
  });
}

/** `map` and `transformList`: the last argument of each, of those for which the one before it holds if there is one. */
function toList(call: Call, variable: string, second?: string): Expression {
  const { at } = call;
  return fold(call, variable, second, {
    init: list(at),
    condition: literal(at, true),
    step: filtered(call, second, called(at, "_+_", accu(at), list(at, lastOf(call.args)))),
    result: accu(at),
  });
}

function filter(call: Call, variable: string): Expression {
  const { at } = call;
  return fold(call, variable, undefined, {
    init: list(at),
    condition: literal(at, true),
    step: called(
      at,
      "_?_:_",
      lastOf(call.args),
      called(at, "_+_", accu(at), list(at, argOf(call.args, 0))),
      accu(at),
    ),
    result: accu(at),
  });
}

function toMap(call: Call, key: string, value: string): Expression {
  const { at } = call;
  const insert = called(at, "cel.@mapInsert", accu(at), { kind: "ident", at, name: key }, lastOf(call.args));
  return intoMap(call, key, value, insert);
}

function toEntries(call: Call, key: string, value: string): Expression {
  return intoMap(call, key, value, called(call.at, "cel.@mapInsert", accu(call.at), lastOf(call.args)));
}

function intoMap(call: Call, key: string, value: string, insert: Expression): Expression {
  const { at } = call;
  return fold(call, key, value, {
    init: { kind: "map", at, entries: [] },
    condition: literal(at, true),
    step: filtered(call, value, insert),
    result: accu(at),
  });
}

function filtered({ at, args }: Call, second: string | undefined, step: Expression): Expression {
  const variables = second === undefined ? 1 : 2;
  if (args.length === variables + 1) return step;
  return called(at, "_?_:_", argOf(args, variables), step, accu(at));
}

function optional({ at, target, args }: Call, name: string, wraps: boolean): Expression | Wrong {
  const variable = argOf(args, 0);
  if (variable.kind !== "ident") {
    return { at: variable.at, wrong: `${name}() variable name must be a simple identifier` };
  }
  const value = bind(at, variable.name, member(at, "value", target), argOf(args, 1));
  return called(
    at,
    "_?_:_",
    member(at, "hasValue", target),
    wraps ? called(at, "optional.of", value) : value,
    called(at, "optional.none"),
  );
}

function sortBy(call: Call): Expression | Wrong {
  const { at, target = call } = call;
  if (!["list", "select", "ident", "fold", "call"].includes(target.kind)) {
    const wrong =
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    return { at: target.at, wrong };
  }
  const input: Expression = { kind: "ident", at, name: "@__sortBy_input__" };
  const keys = withVariable(
    call,
    (variable) => toList({ ...call, target: input }, variable),
    notAnIdentifier,
  );
  if ("wrong" in keys) return keys;
  return bind(at, input.name, target, member(at, "@sortByAssociatedKeys", input, keys));
}

/** A name for a value: a loop over nothing. */
function bind(at: number, name: string, value: Expression, result: Expression): Expression {
  return {
    kind: "fold",
    at,
    range: list(at),
    variable: "#unused",
    second: undefined,
    accumulator: name,
    init: value,
    condition: literal(at, false),
    step: { kind: "ident", at, name },
    result,
  };
}

function fold(
  { at, target }: Call,
  variable: string,
  second: string | undefined,
  parts: Pick<Fold, "init" | "condition" | "step" | "result">,
): Expression {
  return { kind: "fold", at, range: target ?? list(at), variable, second, accumulator, ...parts };
}

function accu(at: number): Expression {
  return { kind: "ident", at, name: accumulator };
}

function literal(at: number, value: boolean | bigint): Expression {
  return { kind: "literal", at, value };
}

function list(at: number, ...elements: readonly Expression[]): Expression {
  return { kind: "list", at, elements, optional: new Set() };
}

function called(at: number, name: string, ...args: readonly Expression[]): Expression {
  return { kind: "call", at, name, target: undefined, args };
}

function member(
  at: number,
  name: string,
  target: Expression | undefined,
  ...args: readonly Expression[]
): Expression {
  return { kind: "call", at, name, target, args };
}

function argOf(args: readonly Expression[], index: number): Expression {
  return args[index] ?? literal(-1, false);
}

function lastOf(args: readonly Expression[]): Expression {
  return argOf(args, args.length - 1);
}
