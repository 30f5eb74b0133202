import { clone, deepFreeze, fieldErrorText, fieldPath } from "@kedge/machinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSchema } from "./check/check-schema.ts";
import { compileSchema } from "./compile-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

const schema: JsonSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", maximum: 9, default: 3 },
        name: { type: "string" },
        list: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: {
            type: "object",
            required: ["k"],
            properties: { k: { type: "string" }, v: { type: "integer", maximum: 9 } },
          },
        },
        plain: { type: "array", items: { type: "integer", maximum: 9 } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
};
const compiled = compileSchema(schema);

describe("an update", () => {
  const texts = (spec: unknown, previous: unknown): string[] =>
    compiled.validateUpdate({ kind: "T", spec }, { kind: "T", spec: previous }).map(fieldErrorText);

  test.each([
    ["tolerates what was wrong and did not change", { size: 50, name: "y" }, { size: 50, name: "x" }, []],
    [
      "refuses what changed",
      { size: 51 },
      { size: 50 },
      ["spec.size: Invalid value: 51: spec.size in body should be less than or equal to 9"],
    ],
    [
      "finds items of maps by their key",
      { list: [{ k: "b", v: 50 }, { k: "c" }] },
      { list: [{ k: "b", v: 50 }] },
      [],
    ],
    [
      "cannot find items of plain lists",
      { plain: [50, 1] },
      { plain: [50] },
      ["spec.plain[0]: Invalid value: 50: spec.plain[0] in body should be less than or equal to 9"],
    ],
    ["tolerates a plain list that is the same", { plain: [50], name: "y" }, { plain: [50], name: "x" }, []],
  ])("%s", (_, now, before, expected) => {
    expect(texts(now, before)).toEqual(expected);
  });
});

test("errors are told where the value is", () => {
  const status = compileSchema({ type: "object", properties: { ready: { type: "boolean" } } });
  expect(status.validate({ ready: "yes" }, fieldPath("status")).map(fieldErrorText)).toEqual([
    'status.ready: Invalid value: "string": ready in body must be of type boolean: "string"',
  ]);
  expect(status.validate("text", fieldPath("status")).map(fieldErrorText)).toEqual([
    'status: Invalid value: "string":  in body must be of type object: "string"',
  ]);
});

test("patterns are matched in linear time", () => {
  const evil = compileSchema({ type: "string", pattern: "^(a+)+$" });
  expect(evil.validate(`${"a".repeat(50_000)}b`)).toHaveLength(1);
});

test("keys of any name are data", () => {
  const object = JSON.parse(
    '{"spec":{"__proto__":{"a":1},"constructor":2,"free":{"__proto__":1}}}',
  ) as unknown;
  expect(compiled.prune(object).dropped).toEqual(["spec.__proto__", "spec.constructor"]);
  expect(JSON.stringify(object)).toBe('{"spec":{"free":{"__proto__":1}}}');
});

describe("whatever the object", () => {
  const objects = fc.record({
    spec: fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom("size", "name", "list", "plain", "free", "x"), fc.jsonValue()),
    ),
  });

  test("a second pruning and defaulting changes nothing", () => {
    fc.assert(
      fc.property(objects, (object) => {
        const once: unknown = clone(object);
        compiled.prune(once);
        compiled.default(once);
        const twice: unknown = clone(once);
        expect(compiled.prune(twice).dropped).toEqual([]);
        compiled.default(twice);
        expect(twice).toEqual(once);
      }),
    );
  });

  test("validation neither throws nor changes it, and an update to itself is always valid", () => {
    fc.assert(
      fc.property(objects, (object) => {
        const frozen = deepFreeze(clone(object));
        compiled.validate(frozen);
        compiled.validateListTypes(frozen);
        compiled.validateEmbedded(frozen);
        expect(compiled.validateUpdate(frozen, clone(frozen))).toEqual([]);
      }),
    );
  });
});

test("limits of 64 bits, which are bigints, are limits as others", () => {
  // As a server reads them: the types say number.
  const most = 9_223_372_036_854_775_807n as unknown as number;
  const limited: JsonSchema = {
    type: "object",
    properties: {
      text: { type: "string", maxLength: most },
      bytes: { type: "string", format: "byte", maxLength: most },
      list: { type: "array", maxItems: most, items: { type: "string", maxLength: most } },
      map: { type: "object", maxProperties: most, additionalProperties: { type: "integer" } },
      long: { type: "string", minLength: most },
    },
    "x-kubernetes-validations": [{ rule: "self.text != 'no'" }],
  };
  expect(checkSchema(limited, fieldPath("schema"), { statusSubresource: false }).map(fieldErrorText)).toEqual(
    [],
  );
  expect(compileSchema(limited).validate({ text: "a", list: ["b"], map: { c: 1 } })).toEqual([]);
  expect(compileSchema(limited).validate({ text: "a", long: "b" }).map(fieldErrorText)).toEqual([
    'long: Invalid value: "b": long in body should be at least 9223372036854775807 chars long',
  ]);
});
