import { describe, expect, test } from "vitest";
import { compile, compileInSteps } from "./compile.ts";
import { allFunctions, namedTypes } from "./library/library.ts";
import { dynType, intType, listOf, stringType } from "./values/types.ts";
import { CelError, PlainList, type Value } from "./values/values.ts";

const environment = {
  functions: allFunctions(),
  types: namedTypes,
  variables: new Map([
    ["list", listOf(intType)],
    ["text", stringType],
    ["any", dynType],
  ]),
  fieldOf: () => undefined,
};

function run(source: string, variables: Readonly<Record<string, Value>> = {}, limit = 1_000_000): unknown {
  const compiled = compile(source, environment);
  if (!("program" in compiled)) return compiled;
  return compiled.program.run(new Map(Object.entries(variables)), limit).value;
}

const tooCostly = new CelError("operation cancelled: actual cost limit exceeded");

describe("an expression ends", () => {
  test.each([
    [
      "when it has more characters than it may",
      `'${"a".repeat(100_001)}' == ''`,
      "size: 100009, limit 100000",
    ],
    [
      "when it is nested too deep",
      `${"(".repeat(251)}1${")".repeat(251)} == 1`,
      "recursion limit exceeded: 250",
    ],
    ["when it is a chain too long", `any${".a".repeat(300)} == 1`, "recursion limit exceeded: 250"],
  ])("%s", (_, source, complaint) => {
    expect(run(source)).toEqual({ wrong: expect.stringContaining(complaint) as unknown });
  });

  test("when it costs more than it may", () => {
    const list = new PlainList(Array.from({ length: 1_000 }, (_, index) => BigInt(index)));
    expect(run("list.all(x, list.all(y, x + y >= 0))", { list })).toEqual(tooCostly);
    expect(run("list.all(x, x >= 0)", { list })).toBe(true);
    expect(run("list.all(x, x >= 0)", { list }, 100)).toEqual(tooCostly);
  });

  test("when it takes much longer than it costs", () => {
    const list = new PlainList(Array.from({ length: 100_000 }, () => 1n));
    expect(run("list.all(x, text.size() > 0)", { list, text: "a".repeat(1_000_000) })).toEqual(tooCostly);
    expect(run("list.all(x, list.indexOf(2) < 0)", { list })).toEqual(tooCostly);
  });

  test("when macros that double what is in them are nested", () => {
    const nested = Array.from({ length: 200 }).reduce<string>(
      (inner) => `${inner}.optMap(x, x)`,
      "optional.of(1)",
    );
    expect(run(`${nested}.hasValue()`)).toEqual(tooCostly);
  });

  test("with a thousand terms as with two", () => {
    const terms = Array.from({ length: 5_000 }, (_, index) => `any != ${index}`);
    expect(run(terms.join(" && "), { any: -1n })).toBe(true);
    expect(run(terms.join(" || "), { any: -1n })).toBe(true);
  });
});

test("a variable is known to be used or not", () => {
  const compiled = compile("list.size() > 1", environment);
  expect("program" in compiled && [compiled.program.uses("list"), compiled.program.uses("text")]).toEqual([
    true,
    false,
  ]);
});

test("an expression is gone through once in a step: a long one must not hold up others for all of it", () => {
  expect(compileInSteps("list.size() > 1", environment).toArray().length).toBeGreaterThanOrEqual(3);
});
