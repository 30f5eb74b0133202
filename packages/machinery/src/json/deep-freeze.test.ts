import * as fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Uid } from "../objects/metadata.ts";
import { deepFreeze, type DeepReadonly } from "./deep-freeze.ts";
import { jsonValue } from "../testing/arbitrary-json.ts";

describe("deepFreeze", () => {
  test("freezes every part, and hands back the same object", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(deepFreeze(value)).toBe(value);
        expect(isFrozenThrough(value)).toBe(true);
      }),
    );
  });

  test("stops at what is frozen already", () => {
    const inside = { open: true };
    const frozen = Object.freeze({ inside });
    deepFreeze({ frozen });
    expect(Object.isFrozen(inside)).toBe(false);
  });

  test("does not overflow on deep input", () => {
    const text = "[".repeat(200_000) + "]".repeat(200_000);
    const deep: unknown = JSON.parse(text);
    expect(Object.isFrozen(deepFreeze(deep))).toBe(true);
  });

  test("makes a write throw", () => {
    const object = deepFreeze({ spec: { list: [1] } });
    expect(() => Reflect.apply(Array.prototype.push, object.spec.list, [2])).toThrow(TypeError);
  });

  test("the type is read-only at any depth, keeps brands, tuples and unknown", () => {
    expectTypeOf<
      DeepReadonly<{ a: { b: string[] }; uid: Uid; pair: [number, { c: 1 }]; any: unknown }>
    >().toEqualTypeOf<{
      readonly a: { readonly b: readonly string[] };
      readonly uid: Uid;
      readonly pair: readonly [number, { readonly c: 1 }];
      readonly any: unknown;
    }>();
  });
});

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}
