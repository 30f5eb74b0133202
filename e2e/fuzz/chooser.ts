import type { Random } from "@kedge/machinery";
import { chance, oneOf, shuffled, some } from "../comparison/generate/choose.ts";
import type { JsonObject } from "../comparison/json.ts";

/** How often a field is there, in percent, and what is in it then. A field of 100 is required: only a fault omits it. */
export type FieldMaker = readonly [percent: number, make: () => unknown];

/** Makes up values by chance: right ones, and as often as it is told to, wrong ones. */
export class Chooser {
  readonly random: Random;
  /** Of a hundred choices that have a wrong answer, so many are wrong. */
  readonly #faults: number;

  constructor(random: Random, faults: number) {
    this.random = random;
    this.#faults = faults;
  }

  /** Whether it is time for a fault. */
  get isFaulty(): boolean {
    return this.#faults > 0 && chance(this.random, this.#faults);
  }

  maybe(percent = 50): boolean {
    return chance(this.random, percent);
  }

  /** One of the right values or, as a fault, one of the wrong ones. */
  one<T>(right: readonly T[], wrong: readonly T[] = []): T {
    return oneOf(this.random, wrong.length > 0 && this.isFaulty ? wrong : right);
  }

  /** An object with some of these fields. */
  fields(makers: Readonly<Record<string, FieldMaker>>): JsonObject {
    const chosen = Object.entries(makers).filter(([, [percent]]) =>
      percent === 100 ? !this.isFaulty : this.maybe(percent),
    );
    return Object.fromEntries(chosen.map(([name, [, make]]) => [name, make()]));
  }

  /** At most so many items. */
  list<T>(most: number, make: () => T, least = 0): T[] {
    return some(this.random, [least, most], make);
  }

  /** At least one item, at most so many, each with another name unless that is the fault. */
  named<T>(names: readonly string[], most: number, make: (name: string) => T): T[] {
    const count = 1 + this.random.int(most);
    const chosen = shuffled(this.random, names).slice(0, count);
    const [first = ""] = chosen;
    return (this.isFaulty ? [...chosen, first] : chosen).map(make);
  }

  /** A map with one wrong key or value when it is faulty: of two the server would name either first. */
  map(right: readonly JsonObject[], wrong: readonly JsonObject[]): JsonObject {
    return this.one(right, wrong);
  }
}
