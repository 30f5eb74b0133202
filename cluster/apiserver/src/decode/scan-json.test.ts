import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanJson } from "./scan-json.ts";

describe("the scanner", () => {
  it("accepts every JSON text", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => scanJson(text)).not.toThrow();
      }),
    );
  });

  it("refuses whatever JSON.parse refuses", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, at, wrong) => {
        const place = at % (text.length + 1);
        const broken = text.slice(0, place) + wrong + text.slice(place + 1);
        expect(isAccepted(() => scanJson(broken))).toBe(isAccepted(() => JSON.parse(broken)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    { text: "", why: "unexpected end of JSON input" },
    { text: "{'a':1}", why: "invalid character '\\'' looking for beginning of object key string" },
    { text: '{"a" 1}', why: "invalid character '1' after object key" },
    { text: '{"a":1 "b"}', why: `invalid character '"' after object key:value pair` },
    { text: "[1 2]", why: "invalid character '2' after array element" },
    { text: "truf", why: "invalid character 'f' in literal true (expecting 'e')" },
    { text: "{} x", why: "invalid character 'x' after top-level value" },
    { text: "\uFEFF{}", why: "invalid character 'ï' looking for beginning of value" },
  ])("says of $text as Go does: $why", ({ text, why }) => {
    expect(() => scanJson(text)).toThrow(why);
  });

  it("finds keys that are there twice, with their paths", () => {
    const found: string[] = [];
    scanJson('{"a":{"b":1,"b":2},"l":[{"c":1,"c":2}],"a":3}', (path, { repeated }) => {
      if (repeated) found.push(path());
      return false;
    });
    expect(found).toEqual(["a.b", "l[0].c", "a"]);
  });
});

function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
