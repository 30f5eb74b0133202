import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  exactFieldOf,
  fieldSelectorMatches,
  fieldSelectorOf,
  fieldSelectorToString,
  parseFieldSelector,
  type FieldSelector,
} from "./field-selector.ts";

describe("parseFieldSelector", () => {
  test.each([
    ["", ""],
    ["metadata.name=a,status.phase!=Running", "metadata.name=a,status.phase!=Running"],
    ["z=1,a=2", "a=2,z=1"],
    ["a==b", "a=b"],
    ["a==z,a=b", "a=b,a=z"],
    ["a=", "a="],
    ["a!=", "a!="],
    ["a=b,,", "a=b"],
    ["=", ""],
    ["!=,a=b", "a=b"],
    ["=v", "=v"],
    ["a!b=c", "a!b=c"],
    [String.raw`x=a||y\=b`, String.raw`x=a||y\=b`],
    [String.raw`k=\,,k2=v2`, String.raw`k2=v2,k=\,`],
    [String.raw`k=\\,k2=v2`, String.raw`k2=v2,k=\\`],
    [String.raw`k=\\\,`, String.raw`k=\\\,`],
    ["함=수,목=록", "목=록,함=수"],
    ["a=1\n2", "a=1\n2"],
  ])("%j is read as %j", (text, printed) => {
    expect(fieldSelectorToString(parseFieldSelector(text))).toBe(printed);
  });

  test("escapes stand for the plain character", () => {
    expect(parseFieldSelector(String.raw`a=\\\=\,`).requirements).toEqual([
      { field: "a", operator: "=", value: String.raw`\=,` },
    ]);
  });

  test.each([
    ["x", "invalid selector: 'x'; can't understand 'x'"],
    ["x=a,b", "invalid selector: 'x=a,b'; can't understand 'b'"],
    ["z,x", "invalid selector: 'z,x'; can't understand 'x'"],
    ["x in (a)", "invalid selector: 'x in (a)'; can't understand 'x in (a)'"],
    ["x=a||y=b", "invalid field selector: unescaped character in value: 61"],
    ["x==a==b", "invalid field selector: unescaped character in value: 61"],
    [String.raw`k=\a`, String.raw`invalid field selector: invalid escape sequence: \a`],
    ["k=\\", "invalid field selector: invalid escape sequence: \\"],
    ["k=\\😀", "invalid field selector: invalid escape sequence: \\😀"],
  ])("%j is refused with Kubernetes' text", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new TypeError(message));
  });
});

describe("fieldSelectorMatches", () => {
  const fields: ReadonlyMap<string, string> = new Map([
    ["foo", "bar"],
    ["complex", String.raw`=value\,\ `.trim()],
  ]);
  test.each([
    ["", true],
    ["foo=bar", true],
    ["foo==bar", true],
    ["foo=baz", false],
    ["foo!=bar", false],
    ["foo!=baz", true],
    ["missing=", true],
    ["missing!=", false],
    ["missing=x", false],
    ["missing!=x", true],
    ["foo=bar,missing=x", false],
    [String.raw`foo=bar,complex=\=value\\\,\\`, true],
  ])("%j on the object is %s", (text, expected) => {
    expect(fieldSelectorMatches(parseFieldSelector(text), (field) => fields.get(field))).toBe(expected);
  });
});

test("only an equality demands an exact value", () => {
  const selector = parseFieldSelector("spec.nodeName!=a,spec.nodeName=b,status.phase!=c");
  expect(exactFieldOf(selector, "spec.nodeName")).toBe("b");
  expect(exactFieldOf(selector, "status.phase")).toBeUndefined();
  expect(exactFieldOf(selector, "metadata.name")).toBeUndefined();
});

test("a selector cannot be changed", () => {
  const selector = parseFieldSelector("a=b");
  expect([selector, selector.requirements, selector.requirements[0]].every(Object.isFrozen)).toBe(true);
});

describe("properties", () => {
  const selectors: fc.Arbitrary<FieldSelector> = fc
    .array(
      fc.record({
        field: fc.constantFrom("metadata.name", "status.phase", "a"),
        operator: fc.constantFrom("=" as const, "!=" as const),
        value: fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("\\", ",", "=", "!", "x") })),
      }),
    )
    .map(fieldSelectorOf);

  test("what is printed reads as the same selector", () => {
    fc.assert(
      fc.property(selectors, (selector) => {
        expect(parseFieldSelector(fieldSelectorToString(selector))).toEqual(selector);
      }),
    );
  });

  test("what is printed matches the same fields", () => {
    fc.assert(
      fc.property(selectors, fc.string(), (selector, other) => {
        const read = parseFieldSelector(fieldSelectorToString(selector));
        for (const value of [other, selector.requirements[0]?.value]) {
          const lookup = (): string | undefined => value;
          expect(fieldSelectorMatches(read, lookup)).toBe(fieldSelectorMatches(selector, lookup));
        }
      }),
    );
  });
});
