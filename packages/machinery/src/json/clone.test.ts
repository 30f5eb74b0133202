import * as fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { clone } from "./clone.ts";
import { deepFreeze, type DeepReadonly } from "./deep-freeze.ts";
import { jsonValue } from "../testing/arbitrary-json.ts";

interface Sample {
  spec: { replicas?: number; args: string[]; pair: [string, number] };
  note: string | null;
}

describe("clone", () => {
  test("is the same JSON, of which no part is shared", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const copy = clone(value);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
        expect(sharedParts(value, copy)).toBe(0);
      }),
    );
  });

  test("of a frozen object may be changed, and its type says so", () => {
    const frozen: DeepReadonly<Sample> = deepFreeze({
      spec: { replicas: 1, args: ["a"], pair: ["a", 1] },
      note: null,
    });
    const copy = clone(frozen);
    expectTypeOf(copy).toEqualTypeOf<Sample>();
    copy.spec.args.push("b");
    copy.spec.replicas = 2;
    expect(copy).toEqual({ spec: { replicas: 2, args: ["a", "b"], pair: ["a", 1] }, note: null });
    expect(frozen.spec.args).toEqual(["a"]);
  });

  test("leaves out undefined keys", () => {
    expect(Object.keys(clone({ a: undefined, b: 1 }))).toEqual(["b"]);
  });

  test("keeps a __proto__ key as data", () => {
    const copy = clone(JSON.parse('{"__proto__":{"x":1}}') as unknown);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  test.each([1, "a", null, undefined, true])("hands back %s", (value) => {
    expect(clone(value)).toBe(value);
  });
});

function sharedParts(a: unknown, b: unknown): number {
  const parts = new Set(objectsIn(a));
  return objectsIn(b).filter((part) => parts.has(part)).length;
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
