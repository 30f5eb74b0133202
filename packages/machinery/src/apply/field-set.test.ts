import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  difference,
  emptySet,
  equalSets,
  hasPath,
  intersection,
  isEmptySet,
  leaves,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
  type FieldSet,
} from "./field-set.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
import { arbitraryFieldSet } from "./testing/arbitrary-field-set.ts";

const parent = readFieldsV1({ "f:a": {} });
const child = readFieldsV1({ "f:a": { "f:b": {} } });

test("what takes nothing away gives the same set", () => {
  fc.assert(
    fc.property(arbitraryFieldSet, arbitraryFieldSet, (a, b) => {
      for (const left of [difference(a, b), recursiveDifference(a, b), intersection(a, b), leaves(a)])
        expect(left === a || isEmptySet(a)).toBe(equalSets(left, a));
    }),
  );
});

describe("parents and children", () => {
  test("a parent and a child are two members", () => {
    expect(writeFieldsV1(union(parent, child))).toEqual({ "f:a": { ".": {}, "f:b": {} } });
    expect(isEmptySet(intersection(parent, child))).toBe(true);
  });

  test("a difference leaves the children of what it takes away, a recursive one does not", () => {
    expect(difference(child, parent)).toEqual(child);
    expect(isEmptySet(recursiveDifference(child, parent))).toBe(true);
    expect(recursiveDifference(parent, child)).toEqual(parent);
  });

  test("leaves are the members without members below them", () => {
    expect(writeFieldsV1(leaves(union(parent, child)))).toEqual({ "f:a": { "f:b": {} } });
    expect(leaves(parent)).toEqual(parent);
  });

  test("the empty path is never a member", () => {
    expect(isEmptySet(setOf([[]]))).toBe(true);
    expect(hasPath(parent, [])).toBe(false);
    expect(hasPath(child, ["f:a"])).toBe(false);
    expect(hasPath(child, ["f:a", "f:b"])).toBe(true);
    expect(hasPath(child, ["f:x", "f:b"])).toBe(false);
  });
});

describe("laws", () => {
  const has = (set: FieldSet) => new Set(pathsOf(set).map((path) => path.join("/")));
  const two = (check: (a: FieldSet, b: FieldSet) => void) => {
    fc.assert(fc.property(arbitraryFieldSet, arbitraryFieldSet, check));
  };

  test("union, intersection and difference are those of the sets of paths", () => {
    two((a, b) => {
      const [left, right] = [has(a), has(b)];
      expect(has(union(a, b))).toEqual(new Set([...left, ...right]));
      expect(has(intersection(a, b))).toEqual(new Set([...left].filter((path) => right.has(path))));
      expect(has(difference(a, b))).toEqual(new Set([...left].filter((path) => !right.has(path))));
    });
  });

  test("a recursive difference has no member that is, or is below, a member of the other", () => {
    two((a, b) => {
      const right = pathsOf(b);
      const expected = pathsOf(a).filter(
        (path) => !right.some((other) => other.every((element, index) => element === path[index])),
      );
      expect(has(recursiveDifference(a, b))).toEqual(new Set(expected.map((path) => path.join("/"))));
    });
  });

  test("what is split is whole again when it is put together", () => {
    two((a, b) => {
      expect(equalSets(union(difference(a, b), intersection(a, b)), a)).toBe(true);
      expect(equalSets(union(a, b), union(b, a))).toBe(true);
      expect(equalSets(a, b)).toBe(JSON.stringify([...has(a)]) === JSON.stringify([...has(b)]));
    });
  });

  test("no set holds empty ones below its elements", () => {
    const sound = (set: FieldSet): boolean =>
      [...set.children.values()].every((inner) => !isEmptySet(inner) && sound(inner));
    two((a, b) => {
      for (const set of [
        union(a, b),
        intersection(a, b),
        difference(a, b),
        recursiveDifference(a, b),
        leaves(a),
      ]) {
        expect(sound(set)).toBe(true);
      }
      expect(equalSets(union(a, emptySet), a)).toBe(true);
    });
  });
});
