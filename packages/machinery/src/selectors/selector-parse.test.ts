import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSelector } from "./selector-parse.ts";
import {
  newRequirement,
  selectorMatches,
  selectorOf,
  selectorToString,
  type Requirement,
} from "./selector.ts";

describe("parseSelector", () => {
  test.each([
    ["", ""],
    [" ", ""],
    ["x=a,y=b,z=c", "x=a,y=b,z=c"],
    ["z=c,x=a", "x=a,z=c"],
    ["x!=a,y==b", "x!=a,y==b"],
    ["x=", "x="],
    ["x= ,z= ", "x=,z="],
    ["x", "x"],
    ["\rx", "x"],
    ["!x", "!x"],
    ["! x", "!x"],
    ["x>1,z<5", "x>1,z<5"],
    ["a=b,c!=d,e in (x,y),!f,g,h notin (z),i>3,j<5", "a=b,c!=d,e in (x,y),!f,g,h notin (z),i>3,j<5"],
    ["foo  in\t (abc)", "foo in (abc)"],
    ["x notin\n (abc)", "x notin (abc)"],
    ["x in (def,abc)", "x in (abc,def)"],
    ["x in (abc,)", "x in (,abc)"],
    ["x in (abc,abc)", "x in (abc)"],
    ["x in ()", "x in ()"],
    ["x in (a,,a,,)", "x in (,a)"],
    ["x notin ( )", "x notin ()"],
    ["x notin (, a)", "x notin (,a)"],
    ["x notin (abc,,def),bar,z in (),w", "bar,w,x notin (,abc,def),z in ()"],
    ["this-is-a-dns.domain.com/key-with-dash", "this-is-a-dns.domain.com/key-with-dash"],
    [
      "0.1.2.domain/99 notin (10.10.100.1, tick.tack.clock)",
      "0.1.2.domain/99 notin (10.10.100.1,tick.tack.clock)",
    ],
    ["a in (x,y,notin, z,in)", "a in (in,notin,x,y,z)"],
    ["notin=in", "notin=in"],
    ["in in (in)", "in in (in)"],
    ["notin", "notin"],
    ["a=a,a=b", "a=a,a=b"],
  ])("%j is read as %j", (text, printed) => {
    expect(selectorToString(parseSelector(text))).toBe(printed);
  });

  const requirement = "unable to parse requirement: ";
  test.each([
    [",x,y", "found ',', expected: !, identifier, or 'end of string'"],
    ["(", "found '(', expected: !, identifier, or 'end of string'"],
    ["x,,y", "found ',', expected: identifier after ','"],
    ["a in (xyz),", "found '', expected: identifier after ','"],
    ["!x=a", "found '=', expected: ',' or 'end of string'"],
    ["x==a==b", "found '==', expected: ',' or 'end of string'"],
    ["a in (xyz)b notin ()", "found 'b', expected: ',' or 'end of string'"],
    ["!", `${requirement}found '', expected: identifier`],
    ["!!x", `${requirement}found '!', expected: identifier`],
    ["x nott in (y)", `${requirement}found 'nott', expected: in, notin, =, ==, !=, gt, lt`],
    ["a (", `${requirement}found '(', expected: in, notin, =, ==, !=, gt, lt`],
    ["a!", `${requirement}found '!', expected: in, notin, =, ==, !=, gt, lt`],
    ["a notin", `${requirement}found '' expected: '('`],
    ["a notin(", `${requirement}found '', expected: ',', ')' or identifier`],
    ["a in (=)", `${requirement}found '=', expected: ',', ')' or identifier`],
    ["a in (xyz abc)", `${requirement}found 'abc', expected: ',' or ')'`],
    ["a in (xyz", `${requirement}found '', expected: ',' or ')'`],
    ["a in (xyz,", `${requirement}found '', expected: ',', or identifier`],
    ["x>=1", `${requirement}found '=', expected: identifier`],
    [
      "x<a",
      `${requirement}values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      "x/=a",
      `${requirement}<nil>: Invalid value: "x/": name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      "x=a||y",
      `${requirement}values[0][x]: Invalid value: "a||y": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ])("%j is refused with Kubernetes' text", (text, message) => {
    expect(() => parseSelector(text)).toThrow(new TypeError(message));
  });
});

describe("properties", () => {
  const keys = fc.constantFrom("a", "b", "in", "notin", "example.com/c");
  const value = fc.constantFrom("", "1", "5", "30", "in", "notin", "x.y_z-0");
  const requirements: fc.Arbitrary<Requirement> = fc.oneof(
    fc
      .tuple(keys, fc.constantFrom("=" as const, "==" as const, "!=" as const), value)
      .map(([key, operator, one]) => newRequirement(key, operator, [one])),
    fc
      .tuple(keys, fc.constantFrom("in" as const, "notin" as const), fc.uniqueArray(value, { minLength: 1 }))
      .map(([key, operator, values]) => newRequirement(key, operator, values.toSorted())),
    fc
      .tuple(keys, fc.constantFrom("exists" as const, "!" as const))
      .map(([key, operator]) => newRequirement(key, operator, [])),
    fc
      .tuple(keys, fc.constantFrom("gt" as const, "lt" as const), fc.nat(40))
      .map(([key, operator, bound]) => newRequirement(key, operator, [String(bound)])),
  );
  const selectors = fc.array(requirements, { maxLength: 5 }).map(selectorOf);

  test("what is printed reads as the same selector", () => {
    fc.assert(
      fc.property(selectors, (selector) => {
        expect(parseSelector(selectorToString(selector))).toEqual(selector);
      }),
    );
  });

  test("what is printed matches the same labels", () => {
    const labels = fc.dictionary(keys, value);
    fc.assert(
      fc.property(selectors, labels, (selector, set) => {
        expect(selectorMatches(parseSelector(selectorToString(selector)), set)).toBe(
          selectorMatches(selector, set),
        );
      }),
    );
  });

  test("any text is either refused in Kubernetes' words or printed in a form that reads the same", () => {
    const pieces = fc.array(fc.constantFrom("a", "in", "notin", "=", "!", "(", ")", ",", ">", " ", "é", "/"));
    fc.assert(
      fc.property(pieces, (parts) => {
        const outcome = readOrFault(parts.join(""));
        expect(outcome === "refused" || readOrFault(outcome) === outcome).toBe(true);
      }),
    );
  });
});

/** The printed selector, or that it was refused as bad input is. */
function readOrFault(text: string): string {
  try {
    return selectorToString(parseSelector(text));
  } catch (error) {
    if (error instanceof TypeError && /^(found|unable to parse requirement)/u.test(error.message))
      return "refused";
    throw error;
  }
}
