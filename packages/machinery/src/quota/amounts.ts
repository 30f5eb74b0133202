import {
  addQuantities,
  compareQuantities,
  quantityIsZero,
  quantityOf,
  type Quantity,
} from "../values/quantity.ts";
import { subtractQuantities } from "../values/quantity.ts";
import { parseQuantity, quantityToString } from "../values/quantity-text.ts";

/** Amounts of resources by their names: Kubernetes' ResourceList. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** Amounts as objects have them. */
export type WrittenAmounts = Readonly<Record<string, string | number | undefined>>;

/** Reads amounts as objects have them. Throws for what is no quantity. */
export function parseAmounts(written: WrittenAmounts | undefined): Amounts {
  return new Map(
    Object.entries(written ?? {}).flatMap(([name, amount]) =>
      amount === undefined ? [] : [[name, parseQuantity(amount)] as const],
    ),
  );
}

/** Amounts as objects have them. */
export function writeAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(Array.from(amounts, ([name, amount]) => [name, quantityToString(amount)]));
}

/** The sum for each name of either. */
export function addAmounts(one: Amounts, other: Amounts): Amounts {
  return merged(one, other, addQuantities);
}

/** The larger one for each name of either. */
export function maxAmounts(one: Amounts, other: Amounts): Amounts {
  return merged(one, other, (a, b) => (compareQuantities(a, b) < 0 ? b : a));
}

/** What `one` has more than `other`, for each name of either; never less than nothing. */
export function increase(one: Amounts, other: Amounts): Amounts {
  const result = new Map<string, Quantity>();
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const more = subtractQuantities(one.get(name) ?? zero, other.get(name) ?? zero);
    result.set(name, compareQuantities(more, zero) > 0 ? more : zero);
  }
  return result;
}

/** Only the amounts with these names. */
export function maskAmounts(amounts: Amounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return new Map(Array.from(amounts).filter(([name]) => wanted.has(name)));
}

/** Without those that are zero. */
export function withoutZeros(amounts: Amounts): Amounts {
  return new Map(Array.from(amounts).filter(([, amount]) => !quantityIsZero(amount)));
}

/** Whether both have the same names with the same amounts, however they are written. */
export function sameAmounts(one: Amounts, other: Amounts): boolean {
  if (one.size !== other.size) return false;
  return Array.from(one).every(([name, amount]) => {
    const found = other.get(name);
    return found !== undefined && compareQuantities(amount, found) === 0;
  });
}

/** `cpu=1,pods=2`, as messages have it. */
export function amountsText(amounts: Amounts): string {
  return [...amounts.keys()]
    .toSorted()
    .map((name) => `${name}=${quantityToString(amounts.get(name) ?? zero)}`)
    .join(",");
}

const zero = quantityOf(0);

function merged(one: Amounts, other: Amounts, both: (a: Quantity, b: Quantity) => Quantity): Amounts {
  const result = new Map(one);
  for (const [name, amount] of other) {
    const found = result.get(name);
    result.set(name, found === undefined ? amount : both(found, amount));
  }
  return result;
}
