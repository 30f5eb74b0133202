import { describe, expect, test } from "vitest";
import {
  fieldDuplicate,
  fieldErrorBody,
  fieldErrorsText,
  fieldErrorText,
  fieldForbidden,
  fieldInternalError,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooFew,
  fieldTooLong,
  fieldTooLongCharacters,
  fieldTooMany,
  fieldTooShort,
  fieldTypeInvalid,
  type FieldError,
} from "./field-error.ts";
import { fieldPath } from "./field-path.ts";

describe("fieldPath prints as Kubernetes does", () => {
  test.each([
    [fieldPath("spec"), "spec"],
    [fieldPath("spec", "template", "spec"), "spec.template.spec"],
    [fieldPath("spec").child("containers").index(0).child("name"), "spec.containers[0].name"],
    [fieldPath("metadata", "labels").key("a.b/c"), "metadata.labels[a.b/c]"],
    [fieldPath("a").child("b", "c").index(1).index(2), "a.b.c[1][2]"],
  ])("%s", (path, text) => {
    expect(path.toString()).toBe(text);
  });
});

// The expected texts are what k8s.io/apimachinery v0.36.4 prints for the same calls.
describe("field errors read as Kubernetes'", () => {
  test.each<[string, FieldError, string]>([
    ["required", fieldRequired("p"), "Required value"],
    ["required, with a reason", fieldRequired("p", "name it"), "Required value: name it"],
    [
      "invalid struct, whose fields have their own order",
      fieldInvalid(
        "p",
        new Map<string, unknown>([
          ["b", { d: 1, c: 2 }],
          ["a", null],
        ]),
        "d",
      ),
      'Invalid value: {"b":{"c":2,"d":1},"a":null}: d',
    ],
    ["invalid number", fieldInvalid("p", -1, "must be positive"), "Invalid value: -1: must be positive"],
    ["invalid text", fieldInvalid("p", 'a"b\n', "d"), String.raw`Invalid value: "a\"b\n": d`],
    [
      "invalid text that JSON writes otherwise",
      fieldInvalid("p", "\x7f\v", "d"),
      String.raw`Invalid value: "\x7f\v": d`,
    ],
    ["invalid without a detail", fieldInvalid("p", "x", ""), 'Invalid value: "x"'],
    ["invalid boolean", fieldInvalid("p", true, "d"), "Invalid value: true: d"],
    ["invalid list", fieldInvalid("p", ["a"], "d"), 'Invalid value: ["a"]: d'],
    ["small number", fieldInvalid("p", 0.00001, "d"), "Invalid value: 1e-05: d"],
    ["smaller number", fieldInvalid("p", 0.00000012, "d"), "Invalid value: 1.2e-07: d"],
    ["a number that is not yet small", fieldInvalid("p", 0.0001, "d"), "Invalid value: 0.0001: d"],
    ["big number", fieldInvalid("p", 1e21, "d"), "Invalid value: 1e+21: d"],
    ["zero", fieldInvalid("p", 0, "d"), "Invalid value: 0: d"],
    ["wrong type", fieldTypeInvalid("p", 1.5, "d"), "Invalid value: 1.5: d"],
    [
      "not supported",
      fieldNotSupported("p", "Sometimes", ["Always", "Never"]),
      'Unsupported value: "Sometimes": supported values: "Always", "Never"',
    ],
    ["not supported, nothing is", fieldNotSupported("p", "x", []), 'Unsupported value: "x"'],
    ["forbidden", fieldForbidden("p", "not now"), "Forbidden: not now"],
    ["too long by bytes", fieldTooLong("p", 63), "Too long: may not be more than 63 bytes"],
    ["too long for one byte", fieldTooLong("p", 1), "Too long: may not be more than 1 byte"],
    [
      "too long by characters",
      fieldTooLongCharacters("p", 63),
      "Too long: may not be more than 63 characters",
    ],
    ["too short", fieldTooShort("p", 3), "Too short: must be at least 3 characters"],
    ["too many", fieldTooMany("p", 5, 3), "Too many: 5: must have at most 3 items"],
    ["too few", fieldTooFew("p", 0, 1), "Too few: 0: must have at least 1 item"],
    [
      "duplicate object, keys in order and HTML escaped",
      fieldDuplicate("p", { b: { d: 1, c: 2 }, a: "<x>" }),
      String.raw`Duplicate value: {"a":"\u003cx\u003e","b":{"c":2,"d":1}}`,
    ],
    ["not found, no value", fieldNotFound("p", undefined), "Not found: null"],
    ["internal", fieldInternalError("p", new Error("oops")), "Internal error: oops"],
  ])("%s", (_name, error, text) => {
    expect(fieldErrorBody(error)).toBe(text);
    expect(fieldErrorText(error)).toBe(`p: ${text}`);
  });
});

describe("fieldErrorsText", () => {
  const one = fieldRequired(fieldPath("spec", "a"));
  const two = fieldForbidden("b", "no");
  test.each([
    ["one error stands alone", [one], "spec.a: Required value"],
    ["several are listed in brackets", [one, two], "[spec.a: Required value, b: Forbidden: no]"],
    ["the same is said once", [one, one, two], "[spec.a: Required value, b: Forbidden: no]"],
    ["only the same is one", [one, one], "spec.a: Required value"],
  ])("%s", (_name, errors, text) => {
    expect(fieldErrorsText(errors)).toBe(text);
  });
});
