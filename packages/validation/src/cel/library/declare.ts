import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { dynType, type CelType } from "../values/types.ts";
import { isList, type ListValue, type Value } from "../values/values.ts";

type Run = NonNullable<Overload["run"]>;

/** A function: `name(…)`. */
export function fn(name: string, id: string, types: readonly CelType[], run?: Run): Overload {
  return { id, name, member: false, ...signature(types), run };
}

/** A function of a value: `value.name(…)`; the value is the first of the arguments. */
export function method(name: string, id: string, types: readonly CelType[], run?: Run): Overload {
  return { id, name, member: true, ...signature(types), run };
}

/** The last of the types is that of the result. */
function signature(types: readonly CelType[]): Pick<Overload, "args" | "result"> {
  return { args: types.slice(0, -1), result: types.at(-1) ?? dynType };
}

/** Arguments that are all texts. */
export function texts(run: (...args: readonly string[]) => Value): Run {
  return (...args) => {
    const found = args.filter((arg) => typeof arg === "string");
    return found.length === args.length ? run(...found) : noSuchOverload;
  };
}

/** A text, then integers. */
export function textAndInts(run: (text: string, ...ints: readonly bigint[]) => Value): Run {
  return (text = null, ...rest) => {
    const found = rest.filter((arg) => typeof arg === "bigint");
    return typeof text === "string" && found.length === rest.length ? run(text, ...found) : noSuchOverload;
  };
}

/** A list, then anything. */
export function list(run: (list: ListValue, ...rest: readonly Value[]) => Value): Run {
  return (first = null, ...rest) => (isList(first) ? run(first, ...rest) : noSuchOverload);
}

/** The items of a list, in order. */
export function itemsOf(from: ListValue): Value[] {
  return Array.from({ length: from.size }, (_, index) => from.at(index));
}
