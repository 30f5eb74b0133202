import { VirtualClock } from "@kedge/machinery";
import { builtinTable } from "@kedge/machinery/schema-table";
import { describe, expect, it } from "vitest";
import { decodeParsed } from "./decode-object.ts";
import { parseJson } from "./parse-json.ts";
import { YamlReader } from "./yaml-reader.ts";
import { settleNumbers, writtenJson } from "./written-number.ts";

const service = { group: "", version: "v1", kind: "Service" };
const quota = { group: "", version: "v1", kind: "ResourceQuota" };

function decoded(json: string, expected = service): unknown {
  const { value, hasDuplicates, hasWritten } = parseJson(json, 1, "as written");
  const text = { json, hasDuplicates, hasWritten };
  const options = {
    table: builtinTable(),
    yaml: new YamlReader(new VirtualClock()),
    expected,
    fieldValidation: "Strict" as const,
    warn: () => undefined,
  };
  return decodeParsed({ value: value as Record<string, unknown>, text }, options, "text");
}

describe("a number of a built-in kind", () => {
  it.each(["80.0", "8e1", "8E1", "800e-1", "-0.0", "1e400"])(
    "is no integer when it is written %s",
    (text) => {
      const refusal = `cannot unmarshal number ${text} into Go struct field ServicePort.spec.ports.port of type int32`;
      expect(() => decoded(`{"spec":{"ports":[{"port":${text}}]}}`)).toThrow(refusal);
    },
  );

  it("keeps its form in a quantity, and is a number where any JSON may be", () => {
    expect(decoded('{"spec":{"hard":{"cpu":1e3,"memory":1.5,"pods":2}}}', quota)).toMatchObject({
      spec: { hard: { cpu: "1e3", memory: 1.5, pods: 2 } },
    });
  });
});

describe("a text", () => {
  it.each(['{"a":true,"b":"1.0","c":false,"e":12}', '{"a":-0}', '{"a":9007199254740993}'])(
    "with no fraction is read as ever: %s",
    (text) => {
      expect(parseJson(text, 1, "as written")).toEqual(parseJson(text));
    },
  );

  it("with fractions gives numbers when nobody asks how they are written", () => {
    const { value, hasWritten } = parseJson('{"a":1.0,"b":[1e3,9007199254740993]}');
    expect([value, hasWritten]).toEqual([{ a: 1, b: [1000, 9_007_199_254_740_993n] }, false]);
  });

  it("is the same again, and can be settled", () => {
    const text = '{"a":1.0,"b":[1e3,{"c":1.50}],"d":9007199254740993,"e":2.5}';
    const { value } = parseJson(text, 1, "as written");
    expect(writtenJson(value)).toBe(text);
    settleNumbers(value);
    expect(value).toEqual({ a: 1, b: [1000, { c: 1.5 }], d: 9_007_199_254_740_993n, e: 2.5 });
  });
});
