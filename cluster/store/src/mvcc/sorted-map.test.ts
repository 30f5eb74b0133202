import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys, countWhile, find, insert, remove, valuesFrom, type SortedMap } from "./sorted-map.ts";

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

function sortedFrom(model: ReadonlyMap<string, number>, start: string): readonly number[] {
  const entries = [...model].filter(([name]) => compareKeys(name, start) >= 0);
  return entries.toSorted(([a], [b]) => compareKeys(a, b)).map(([, value]) => value);
}

function depthOf(map: SortedMap<number>): number {
  return map === undefined ? 0 : 1 + Math.max(depthOf(map.left), depthOf(map.right));
}
