import { expect, it } from "vitest";
import { standIn } from "./lazy-modules.ts";

class Real {
  static readonly OPEN = 1;
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

function loading() {
  let loads = 0;
  const load = (): Record<string, unknown> => {
    loads++;
    return { Real, double: (value: number) => 2 * value };
  };
  return {
    RealStand: standIn(load, "Real") as typeof Real,
    double: standIn(load, "double") as (value: number) => number,
    loads: () => loads,
  };
}

it("loads nothing before it is used", () => {
  const { loads, double } = loading();
  expect(loads()).toBe(0);
  expect(double(2)).toBe(4);
  expect(loads()).toBe(1);
});

it("stands for a class: constructed, extended, asked for its statics and its objects", () => {
  const { RealStand } = loading();
  class More extends RealStand {}
  const [made, more] = [new RealStand(1), new More(2)];
  expect([made.value, more.value, RealStand.OPEN]).toEqual([1, 2, 1]);
  expect([made instanceof Real, made instanceof RealStand, more instanceof More]).toEqual([true, true, true]);
});
