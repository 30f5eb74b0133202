import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareKeys,
  concat,
  countWhile,
  find,
  fromSorted,
  insert,
  remove,
  split,
  valuesFrom,
  type SortedMap,
} from "./sorted-map.ts";

const key = fc.string({ unit: "binary", maxLength: 3 });
const step = fc.record({ key, isRemoval: fc.boolean() });

describe("the sorted map", () => {
  it("orders keys as their UTF-8 bytes", () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it("agrees with a sorted array, and leaves older maps as they were", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), key, (steps, start) => {
        const model = new Map<string, number>();
        const versions: { readonly map: SortedMap<number>; readonly expected: readonly number[] }[] = [];
        let map: SortedMap<number>;
        for (const [i, next] of steps.entries()) {
          if (next.isRemoval) model.delete(next.key);
          else model.set(next.key, i);
          map = next.isRemoval ? remove(map, next.key) : insert(map, next.key, i);
          versions.push({ map, expected: sortedFrom(model, "") });
        }
        for (const version of versions) expect([...valuesFrom(version.map, "")]).toEqual(version.expected);
        const after = sortedFrom(model, start);
        expect([...valuesFrom(map, start)]).toEqual(after);
        expect(countWhile(map, (name) => compareKeys(name, start) < 0)).toBe(model.size - after.length);
        for (const next of steps) expect(find(map, next.key)).toBe(model.get(next.key));
      }),
    );
  });

  it("stays shallow when keys come, and go, in order", () => {
    let map: SortedMap<number>;
    for (let i = 0; i < 10_000; i++) map = insert(map, String(i).padStart(5, "0"), i);
    expect(depthOf(map)).toBeLessThan(20);
    for (let i = 0; i < 9000; i++) map = remove(map, String(i).padStart(5, "0"));
    expect(depthOf(map)).toBeLessThan(16);
    expect(map?.size).toBe(1000);
  });
});

describe("maps that are cut and joined", () => {
  const entriesOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: String(i).padStart(5, "0"), value: i }));

  it("have what they had, in order, and stay balanced", () => {
    const property = fc.property(fc.nat(400), fc.nat(400), fc.array(fc.nat(400)), (count, at, removed) => {
      let map: SortedMap<number> = fromSorted(entriesOf(count));
      for (const value of removed) map = remove(map, String(value).padStart(5, "0"));
      const all = [...valuesFrom(map, "")];
      const [before, rest] = split(map, (name) => Number(name) < at);
      expect([...valuesFrom(before, "")]).toEqual(all.filter((value) => value < at));
      expect([...valuesFrom(rest, "")]).toEqual(all.filter((value) => value >= at));
      const joined = concat(before, rest);
      expect([...valuesFrom(joined, "")]).toEqual(all);
      for (const each of [before, rest, joined]) expect(isBalanced(each)).toBe(true);
    });
    fc.assert(property);
  });

  it("stay balanced however many are joined", () => {
    let map: SortedMap<number>;
    const entries = entriesOf(5000);
    for (let at = 0; at < entries.length; at += 1 + (at % 97)) {
      const piece = entries.slice(at, at + 1 + (at % 97));
      map = concat(map, fromSorted(piece));
    }
    expect([...valuesFrom(map, "")]).toEqual(entries.map(({ value }) => value));
    expect(isBalanced(map)).toBe(true);
  });
});

function isBalanced(map: SortedMap<number>): boolean {
  if (map === undefined) return true;
  const [left, right] = [map.left, map.right].map((side) => (side?.size ?? 0) + 1);
  const isLevel = (left ?? 0) <= 3 * (right ?? 0) && (right ?? 0) <= 3 * (left ?? 0);
  const isCounted = map.size === (left ?? 0) + (right ?? 0) - 1;
  return isLevel && isCounted && isBalanced(map.left) && isBalanced(map.right);
}

function sortedFrom(model: ReadonlyMap<string, number>, start: string): readonly number[] {
  const entries = [...model].filter(([name]) => compareKeys(name, start) >= 0);
  return entries.toSorted(([a], [b]) => compareKeys(a, b)).map(([, value]) => value);
}

function depthOf(map: SortedMap<number>): number {
  return map === undefined ? 0 : 1 + Math.max(depthOf(map.left), depthOf(map.right));
}
