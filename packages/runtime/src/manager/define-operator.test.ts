import type { DefinedKind } from "@kedge/schema";
import { describe, expect, it } from "vitest";
import { Widget } from "../testing/widget.ts";
import { defineOperator } from "./define-operator.ts";

const kinds = [Widget as unknown as DefinedKind];

describe("an operator", () => {
  it.each([
    ["Redis Operator", kinds, "must be kebab case"],
    ["redis", [], "kinds must name at least one kind"],
  ])("is not %j with %j", (name, given, why) => {
    expect(() => defineOperator({ name, kinds: given, controllers: () => [] })).toThrow(why);
  });

  it("is what it was defined as", () => {
    const operator = { name: "redis", kinds, controllers: () => [] };
    expect(defineOperator(operator)).toBe(operator);
  });
});
