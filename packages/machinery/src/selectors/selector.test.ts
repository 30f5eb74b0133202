import { describe, expect, test } from "vitest";
import {
  everything,
  exactLabelOf,
  newRequirement,
  nothing,
  selectorMatches,
  selectorOf,
  selectorToString,
  type Labels,
  type SelectorOperator,
} from "./selector.ts";

describe("newRequirement", () => {
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const cases: readonly (readonly [SelectorOperator, readonly string[], string])[] = [
    ["in", [], "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"],
    ["notin", [], "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"],
    [
      "=",
      ["a", "b"],
      'values: Invalid value: ["a","b"]: exact-match compatibility requires one single value',
    ],
    ["==", [], "values: Invalid value: null: exact-match compatibility requires one single value"],
    ["!=", [], "values: Invalid value: null: exact-match compatibility requires one single value"],
    ["exists", ["a"], 'values: Invalid value: ["a"]: values set must be empty for exists and does not exist'],
    ["!", ["a"], 'values: Invalid value: ["a"]: values set must be empty for exists and does not exist'],
    ["gt", [], "values: Invalid value: null: for 'Gt', 'Lt' operators, exactly one value is required"],
    ["lt", ["a"], "values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must be an integer"],
    ["=", ["a b"], `values[0][x]: Invalid value: "a b": ${value}`],
    [
      "gt",
      ["-5"],
      // A number, but no label can have it as its value.
      `values[0][x]: Invalid value: "-5": ${value}`,
    ],
    [
      "in",
      ["ok", "_", "_b"],
      `[values[1][x]: Invalid value: "_": ${value}, values[2][x]: Invalid value: "_b": ${value}]`,
    ],
  ];
  test.each(cases)("%s with %j is refused with Kubernetes' text", (operator, values, message) => {
    expect(() => newRequirement("x", operator, values)).toThrow(new TypeError(message));
  });

  test("a bad key is refused with all that is wrong with it", () => {
    expect(() => newRequirement("/", "exists", [])).toThrow(
      new TypeError(
        "key: Invalid value: \"/\": prefix part must be non-empty; name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ),
    );
  });

  test("changing the list afterwards does not change the requirement", () => {
    const values = ["a"];
    const requirement = newRequirement("x", "in", values);
    values.push("b");
    expect(requirement.values).toEqual(["a"]);
    expect(Object.isFrozen(requirement) && Object.isFrozen(requirement.values)).toBe(true);
  });
});

describe("selectorMatches", () => {
  const cases: readonly (readonly [SelectorOperator, readonly string[], Labels, boolean])[] = [
    ["in", ["foo", "bar"], { x: "bar" }, true],
    ["in", ["foo"], { x: "bar" }, false],
    ["in", ["foo"], {}, false],
    ["in", [""], {}, false],
    ["in", [""], { x: "" }, true],
    ["notin", ["foo"], { x: "bar" }, true],
    ["notin", ["foo"], { x: "foo" }, false],
    ["notin", ["foo"], {}, true],
    ["notin", [""], {}, true],
    ["=", ["foo"], { x: "foo" }, true],
    ["==", ["foo"], { x: "foo" }, true],
    ["=", ["foo"], { y: "foo" }, false],
    ["!=", ["foo"], { x: "bar" }, true],
    ["!=", ["foo"], { x: "foo" }, false],
    ["!=", ["foo"], {}, true],
    ["exists", [], { x: "" }, true],
    ["exists", [], { y: "" }, false],
    ["!", [], { x: "" }, false],
    ["!", [], { y: "" }, true],
    ["gt", ["1"], { x: "2" }, true],
    ["gt", ["2"], { x: "2" }, false],
    ["gt", ["9"], { x: "10" }, true],
    ["gt", ["1"], { x: "v2" }, false],
    ["gt", ["1"], {}, false],
    ["gt", ["9007199254740992"], { x: "9007199254740993" }, true],
    ["lt", ["8"], { x: "6" }, true],
    ["lt", ["8"], { x: "8" }, false],
    ["lt", ["8"], { x: "-9" }, true],
    ["lt", ["8"], { x: "" }, false],
    ["lt", ["8"], {}, false],
  ];
  test.each(cases)("x %s %j on %j is %s", (operator, values, labels, expected) => {
    expect(selectorMatches(selectorOf([newRequirement("x", operator, values)]), labels)).toBe(expected);
  });

  test("all requirements must hold", () => {
    const selector = selectorOf([newRequirement("x", "=", ["1"]), newRequirement("y", "=", ["2"])]);
    expect(selectorMatches(selector, { x: "1", y: "2" })).toBe(true);
    expect(selectorMatches(selector, { x: "1", y: "3" })).toBe(false);
    expect(selectorMatches(selector, { x: "3", y: "2" })).toBe(false);
  });

  test("everything matches all, nothing matches none, labels or not", () => {
    for (const labels of [undefined, {}, { x: "y" }]) {
      expect(selectorMatches(everything(), labels)).toBe(true);
      expect(selectorMatches(nothing(), labels)).toBe(false);
    }
  });

  test("what every JavaScript object inherits is no label", () => {
    const selector = selectorOf([newRequirement("constructor", "exists", [])]);
    expect(selectorMatches(selector, {})).toBe(false);
    expect(selectorMatches(selector, { constructor: "x" })).toBe(true);
  });
});

test("a selector is printed sorted by key, values sorted, requirements of one key as given", () => {
  const selector = selectorOf([
    newRequirement("z", "!=", ["a"]),
    newRequirement("z", "exists", []),
    newRequirement("y", "notin", ["jkl"]),
    newRequirement("x", "in", ["def", "abc"]),
    newRequirement("w", "!", []),
    newRequirement("v", "==", ["1"]),
    newRequirement("u", "gt", ["2"]),
    newRequirement("t", "lt", ["8"]),
    newRequirement("s", "=", [""]),
    newRequirement("r", "in", [""]),
  ]);
  expect(selectorToString(selector)).toBe("r in (),s=,t<8,u>2,v==1,!w,x in (abc,def),y notin (jkl),z!=a,z");
  expect(selectorToString(everything())).toBe("");
  expect(selectorToString(nothing())).toBe("");
});

test.each([
  ["=", ["1"], "1"],
  ["==", ["1"], "1"],
  ["in", ["1"], "1"],
  ["in", ["1", "2"], undefined],
  ["!=", ["1"], undefined],
  ["gt", ["1"], undefined],
  ["exists", [], undefined],
] as const)("a label that must be %s %j has the exact value %s", (operator, values, exact) => {
  const selector = selectorOf([newRequirement("x", operator, values), newRequirement("y", "exists", [])]);
  expect(exactLabelOf(selector, "x")).toBe(exact);
  expect(exactLabelOf(selector, "z")).toBeUndefined();
});
