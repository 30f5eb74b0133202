import { describe, expect, test } from "vitest";
import { fieldErrorText } from "../errors/field-error.ts";
import { fieldPath } from "../errors/field-path.ts";
import {
  selectorFromLabels,
  selectorFromLabelSelector,
  validateLabelSelector,
  type LabelSelector,
} from "./label-selector.ts";
import { everything, nothing, selectorMatches, selectorToString } from "./selector.ts";

const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const key =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("selectorFromLabelSelector", () => {
  test("a missing selector matches nothing, an empty one everything", () => {
    expect(selectorFromLabelSelector(undefined)).toEqual(nothing());
    expect(selectorFromLabelSelector({})).toEqual(everything());
    expect(selectorFromLabelSelector({ matchLabels: {}, matchExpressions: [] })).toEqual(everything());
  });

  test("labels and expressions must all hold", () => {
    const selector = selectorFromLabelSelector({
      matchLabels: { foo: "bar" },
      matchExpressions: [
        { key: "baz", operator: "In", values: ["qux", "norf"] },
        { key: "env", operator: "NotIn", values: ["dev"] },
        { key: "app", operator: "Exists" },
        { key: "old", operator: "DoesNotExist", values: [] },
      ],
    });
    expect(selectorToString(selector)).toBe("app,baz in (norf,qux),env notin (dev),foo=bar,!old");
    expect(selectorMatches(selector, { foo: "bar", baz: "norf", app: "" })).toBe(true);
    expect(selectorMatches(selector, { foo: "bar", baz: "norf", app: "", old: "" })).toBe(false);
    expect(selectorMatches(selector, { baz: "norf", app: "" })).toBe(false);
  });

  const cases: readonly (readonly [LabelSelector, string])[] = [
    [{ matchLabels: { x: "a b" } }, `values[0][x]: Invalid value: "a b": ${value}`],
    [{ matchLabels: { "-": "a" } }, `key: Invalid value: "-": ${key}`],
    [
      { matchExpressions: [{ key: "x", operator: "In" }] },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { matchExpressions: [{ key: "x", operator: "Exists", values: ["a"] }] },
      'values: Invalid value: ["a"]: values set must be empty for exists and does not exist',
    ],
    [
      { matchExpressions: [{ key: "x", operator: "Gt", values: ["1"] }] },
      '"Gt" is not a valid label selector operator',
    ],
  ];
  test.each(cases)("%j is refused with Kubernetes' text", (source, message) => {
    expect(() => selectorFromLabelSelector(source)).toThrow(new TypeError(message));
  });
});

test("plain labels make a selector of equalities", () => {
  expect(selectorToString(selectorFromLabels({ b: "2", a: "1" }))).toBe("a=1,b=2");
  expect(selectorFromLabels({})).toEqual(everything());
});

describe("validateLabelSelector", () => {
  test("a good selector, and a missing one, have no faults", () => {
    const good: LabelSelector = {
      matchLabels: { foo: "bar" },
      matchExpressions: [
        { key: "a", operator: "In", values: [""] },
        { key: "a", operator: "NotIn", values: ["x"] },
        { key: "a", operator: "Exists", values: [] },
        { key: "a", operator: "DoesNotExist" },
      ],
    };
    expect(validateLabelSelector(good, fieldPath("spec", "selector"))).toEqual([]);
    expect(validateLabelSelector(undefined, fieldPath("spec", "selector"))).toEqual([]);
  });

  test("every fault is named with its field, in Kubernetes' words", () => {
    const bad: LabelSelector = {
      matchLabels: { "-k": "-v" },
      matchExpressions: [
        { key: "a", operator: "In", values: [] },
        { key: "a", operator: "NotIn" },
        { key: "a", operator: "Exists", values: ["x"] },
        { key: "a", operator: "DoesNotExist", values: ["x"] },
        { key: "-", operator: "Gt", values: ["ok", "_"] },
      ],
    };
    expect(validateLabelSelector(bad, fieldPath("spec", "selector")).map(fieldErrorText)).toEqual([
      `spec.selector.matchLabels: Invalid value: "-k": ${key}`,
      `spec.selector.matchLabels: Invalid value: "-v": ${value}`,
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      "spec.selector.matchExpressions[3].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[4].operator: Invalid value: "Gt": not a valid selector operator',
      `spec.selector.matchExpressions[4].key: Invalid value: "-": ${key}`,
      `spec.selector.matchExpressions[4].values[1]: Invalid value: "_": ${value}`,
    ]);
  });
});
