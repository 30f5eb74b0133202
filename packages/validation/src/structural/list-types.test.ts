import { describe, expect, it } from "vitest";
import { validateListTypes } from "./list-types.ts";
import { structuralOf } from "./structural.ts";

describe("items that are there twice", () => {
  it("may be more than a call can have arguments", () => {
    const set = { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } } as const;
    const shape = structuralOf({ type: "object", properties: { numbers: set } });
    const numbers = Array.from({ length: 400_000 }, (_, i) => i >> 1);
    expect(validateListTypes({ numbers }, shape).length).toBe(200_000);
  });
});
