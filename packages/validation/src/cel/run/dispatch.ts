import type { Overload } from "../values/environment.ts";
import { actualCostOf, type ActualCost } from "../cost/actual-call.ts";
import { allFunctions } from "../library/library.ts";
import { noOverloadFor, noSuchOverload, takeComparisons } from "../values/equality.ts";
import { isOfType, runtimeType } from "../values/runtime-type.ts";
import { CelError, isError, isList, type Value } from "../values/values.ts";
import { costLimitExceeded } from "../values/limits.ts";
import { addWork, charge, CostExceeded, perComparison, type Frame, type Run } from "./frame.ts";

interface Candidate {
  readonly overload: Overload;
  readonly cost: ActualCost;
  readonly work: number;
  /** It looks at all items of its lists. */
  readonly walks: boolean;
}

/** Calls the one of several overloads that takes the arguments. `args` begin with the target, if there is one. */
export function dispatch(name: string, overloads: readonly Overload[], args: readonly Run[]): Run {
  const candidates: Candidate[] = overloads
    .filter((overload) => overload.args.length === args.length)
    .map((overload) => ({
      overload,
      cost: actualCostOf(name, overload.id),
      work: slow.get(name) ?? 0,
      walks: walking.has(name),
    }));
  const refused = refusal(name);
  const [first, second] = args;
  const [only, more] = candidates;
  if (only !== undefined && more === undefined && first !== undefined && args.length <= 2) {
    return second === undefined ? unary(only, first, refused) : binary(only, [first, second], refused);
  }
  return (frame) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(frame);
      if (isError(value)) return value;
      values.push(value);
    }
    const found = candidates.find(({ overload }) => fits(overload, values));
    if (found === undefined) return refused(frame, values);
    return charged(frame, found, values, found.overload.run?.(...values) ?? noSuchOverload);
  };
}

type Refused = (frame: Frame, values: readonly Value[]) => Value;

/** What is told when no overload takes the arguments. */
function refusal(name: string): Refused {
  const takes = new Set((allFunctions().get(name) ?? []).map((overload) => overload.args[0]?.name));
  return (frame, values) => {
    charge(frame, 1);
    const [first = null] = values;
    if (operators.has(name) || (traits.has(name) && takes.has(runtimeType(first).name)))
      return noSuchOverload;
    return traits.has(name) ? new CelError(`no such overload: ${name}`) : noOverloadFor(name, values);
  };
}

/** One implementation for all types, which looks at the second argument by itself. */
const traits = new Set("_+_ _-_ _*_ _/_ _%_ -_ _<_ _<=_ _>_ _>=_ size".split(" "));
const operators = new Set("!_ contains startsWith endsWith matches".split(" "));

function fits({ args }: Overload, values: readonly Value[]): boolean {
  return values.every((value, index) => {
    const type = args[index];
    return type !== undefined && isOfType(value, type);
  });
}

/** Most calls are of one overload with one or two arguments: they are made without lists of them. */
function unary(candidate: Candidate, arg: Run, refused: Refused): Run {
  const { run = () => noSuchOverload, args } = candidate.overload;
  const [type] = args;
  return (frame) => {
    const value = arg(frame);
    if (isError(value)) return value;
    if (type === undefined || !isOfType(value, type)) return refused(frame, [value]);
    return charged(frame, candidate, [value], run(value));
  };
}

function binary(candidate: Candidate, [left, right]: readonly [Run, Run], refused: Refused): Run {
  const { run = () => noSuchOverload, args } = candidate.overload;
  const [leftType, rightType] = args;
  return (frame) => {
    const one = left(frame);
    if (isError(one)) return one;
    const two = right(frame);
    if (isError(two)) return two;
    const taken = leftType && rightType && isOfType(one, leftType) && isOfType(two, rightType);
    if (taken !== true) return refused(frame, [one, two]);
    return charged(frame, candidate, [one, two], run(one, two));
  };
}

/** Nanoseconds that a call takes whatever its arguments are, of functions that are slow for what they cost. */
const slow: ReadonlyMap<string, number> = new Map([
  ["cel.@mapInsert", 1_000],
  ["matches", 1_500],
  ["find", 2_000],
  ["findAll", 2_000],
  ["format", 2_000],
  ["quantity", 1_000],
  ["url", 2_000],
  ["cidr", 1_000],
  ["ip", 1_000],
  ["semver", 1_000],
  ["timestamp", 1_000],
  ["getHours", 3_000],
  ["getMinutes", 3_000],
  ["getDayOfWeek", 3_000],
  ["getDate", 3_000],
  ["validate", 2_000],
]);

/** A character takes about as many nanoseconds, wherever a text is looked at. */
const perCharacter = 3;
/** So does an item of a list that a function walks through. */
const perItem = 40;

/** Functions that look at lists as a whole. */
const walking = new Set(
  "indexOf lastIndexOf isSorted sum min max join sort @sortByAssociatedKeys distinct reverse slice flatten format sets.contains sets.intersects sets.equivalent optional.unwrap unwrapOpt".split(
    " ",
  ),
);

function charged(frame: Frame, candidate: Candidate, values: readonly Value[], result: Value): Value {
  let { work } = candidate;
  for (const value of values) {
    if (typeof value === "string") work += value.length * perCharacter;
    else if (candidate.walks && isList(value)) work += value.size * perItem;
  }
  if (typeof result === "string") work += result.length * perCharacter;
  work += takeComparisons() * perComparison;
  if (work > 0) addWork(frame, work);
  const { cost } = candidate;
  charge(frame, cost(values, result));
  if (isError(result) && result.message === costLimitExceeded) throw new CostExceeded();
  return result;
}
