import type { Random } from "@kedge/machinery";

/** One of these. */
export function oneOf<T>(random: Random, items: readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new RangeError("there is nothing to choose from");
  return item;
}

/** One of these functions' results, the first ones as often as their number says. */
export function weighted<T>(random: Random, choices: readonly (readonly [number, () => T])[]): T {
  let rest = random.int(choices.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of choices) {
    if (rest < weight) return make();
    rest -= weight;
  }
  throw new RangeError("there is nothing to choose from");
}

/** Whether it happens, in so many of a hundred cases. */
export function chance(random: Random, percent: number): boolean {
  return random.int(100) < percent;
}

/** From `least` to `most` of what a function makes. */
export function some<T>(random: Random, [least, most]: readonly [number, number], make: () => T): T[] {
  return Array.from({ length: least + random.int(most - least + 1) }, make);
}

/** Some of these, in their order. */
export function subset<T>(random: Random, items: readonly T[], percent = 50): T[] {
  return items.filter(() => chance(random, percent));
}

/** The same items in any order. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** So many different ones, by their text. */
export function distinct<T>(count: number, make: () => T): T[] {
  const found = new Map<string, T>();
  for (let tries = 0; found.size < count && tries < count * 50; tries++) {
    const item = make();
    found.set(JSON.stringify(item), item);
  }
  return [...found.values()];
}
