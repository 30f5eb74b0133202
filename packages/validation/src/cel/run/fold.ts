import type { Expression, Fold } from "../syntax/expression.ts";
import { noSuchOverload } from "../values/equality.ts";
import { PlainList, isError, isList, isMap, type ListValue, type Value } from "../values/values.ts";
import type { Frame, Run } from "./frame.ts";

/** What a fold is planned with. */
interface Plans {
  plan(expression: Expression): { readonly run: Run };
  within<T>(names: readonly string[], plan: (slots: readonly number[]) => T): T;
}

/** Makes a loop ready to run. */
export function planFold(fold: Fold, plans: Plans): Run {
  const range = plans.plan(fold.range).run;
  const init = plans.plan(fold.init).run;
  return plans.within([fold.accumulator], ([accumulator = 0]) => {
    const names = fold.second === undefined ? [fold.variable] : [fold.variable, fold.second];
    const loop = plans.within(names, ([first = 0, second]) => ({
      first,
      second,
      condition: plans.plan(fold.condition).run,
      step: plans.plan(fold.step).run,
    }));
    const result = plans.plan(fold.result).run;
    const grows = fold.init.kind === "list" && fold.init.elements.length === 0;

    return (frame) => {
      const over = range(frame);
      if (isError(over)) return over;
      const started = init(frame);
      frame.slots[accumulator] = grows ? new GrowingList() : started;
      const wrong = iterate(over, frame, { ...loop, accumulator });
      if (wrong !== undefined) return wrong;
      const folded = result(frame);
      return folded instanceof GrowingList ? new PlainList(folded.items) : folded;
    };
  });
}

interface Loop {
  readonly accumulator: number;
  readonly first: number;
  /** Then `first` is the index or key. */
  readonly second: number | undefined;
  readonly condition: Run;
  readonly step: Run;
}

function iterate(over: Value, frame: Frame, loop: Loop): Value | undefined {
  const { accumulator, first, second, condition, step } = loop;
  const { slots } = frame;
  const once = (one: Value, two: Value): boolean => {
    slots[first] = one;
    if (second !== undefined) slots[second] = two;
    if (condition(frame) === false) return false;
    slots[accumulator] = step(frame);
    return true;
  };
  if (isList(over)) {
    for (let index = 0; index < over.size; index += 1) {
      const item = over.at(index);
      if (!once(second === undefined ? item : BigInt(index), item)) break;
    }
    return undefined;
  }
  if (!isMap(over)) return noSuchOverload;
  for (const key of over.keys())
    if (!once(key, second === undefined ? null : (over.find(key) ?? null))) break;
  return undefined;
}

/** The list that a loop fills: nobody else has it until the loop ends, so it grows in place. */
class GrowingList implements ListValue {
  readonly list = true;
  readonly items: Value[] = [];

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] ?? null;
  }

  readonly add = (other: ListValue): Value => {
    for (let index = 0; index < other.size; index += 1) this.items.push(other.at(index));
    return this;
  };

  outside(this: void, index: bigint): string {
    return `index out of bounds: ${index}`;
  }
}
