import * as z from "zod";
import { describe, expect, it } from "vitest";
import { SchemaError } from "./schema-error.ts";
import { structuralOf } from "./structural-of.ts";

describe("a zod schema as a structural schema", () => {
  it.each<[string, z.ZodType, object]>([
    ["a text", z.string(), { type: "string" }],
    ["a text with limits", z.string().min(1).max(3), { type: "string", minLength: 1, maxLength: 3 }],
    ["a text of one length", z.string().length(3), { type: "string", minLength: 3, maxLength: 3 }],
    ["a pattern", z.string().regex(/^a\/b$/u), { type: "string", pattern: "^a/b$" }],
    ["a beginning", z.string().startsWith("kedge-"), { type: "string", pattern: "^kedge-.*" }],
    ["a time", z.iso.datetime(), { type: "string", format: "date-time" }],
    ["a number", z.number(), { type: "number" }],
    ["a whole number", z.int(), { type: "integer", format: "int64" }],
    ["a small whole number", z.int32().min(1), { type: "integer", format: "int32", minimum: 1 }],
    ["a number made whole", z.number().int(), { type: "integer", format: "int64" }],
    ["an open limit", z.number().gt(1), { type: "number", minimum: 1, exclusiveMinimum: true }],
    ["a float", z.float32(), { type: "number", format: "float" }],
    ["known texts", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["one text", z.literal("a"), { type: "string", enum: ["a"] }],
    ["known numbers", z.literal([1, 2]), { type: "integer", enum: [1, 2] }],
    [
      "a union of known texts",
      z.union([z.enum(["a"]), z.literal("b")]),
      { type: "string", enum: ["a", "b"] },
    ],
    ["a list", z.array(z.string()).max(2), { type: "array", maxItems: 2, items: { type: "string" } }],
    [
      "a map",
      z.record(z.string(), z.int32()),
      { type: "object", additionalProperties: { type: "integer", format: "int32" } },
    ],
    ["anything", z.unknown(), { "x-kubernetes-preserve-unknown-fields": true }],
    ["null too", z.string().nullable(), { type: "string", nullable: true }],
    ["what may not be changed", z.string().readonly(), { type: "string" }],
    [
      "an object: what is optional or has a default is not required",
      z.object({ a: z.string(), b: z.string().optional(), c: z.string().default("x") }),
      {
        type: "object",
        properties: {
          a: { type: "string" },
          b: { type: "string" },
          c: { type: "string", default: "x" },
        },
        required: ["a"],
      },
    ],
    [
      "a description, also from inside, and the outer one wins",
      z.string().describe("inner").optional().describe("outer"),
      { description: "outer", type: "string" },
    ],
  ])("%s", (_what, schema, expected) => {
    expect(structuralOf(schema, "spec")).toEqual(expected);
  });

  it("keeps the order of fields, and has its own of keys", () => {
    const schema = z.object({ b: z.string().max(2).min(1).describe("d"), a: z.string() });
    expect(JSON.stringify(structuralOf(schema, "spec"))).toBe(
      '{"type":"object","properties":{"b":{"description":"d","type":"string","minLength":1,"maxLength":2},"a":{"type":"string"}},"required":["b","a"]}',
    );
  });
});

interface Tree {
  readonly children: readonly Tree[];
}

const tree: z.ZodType<Tree> = z.object({
  get children() {
    return z.array(tree);
  },
});

describe("what a structural schema cannot say is refused, with the field", () => {
  it.each<[string, z.ZodType, string]>([
    ["code", z.string().refine(() => true), "spec.f: .refine(), .check() and z.custom() are code"],
    ["a schema that is code", z.custom(), "spec.f: z.custom() has no equal in a CRD"],
    ["a transformation", z.string().transform(Number), "spec.f: z.pipe() has no equal in a CRD"],
    ["a change of the value", z.string().trim(), "spec.f: a schema that changes the value"],
    ["a coercion", z.coerce.number(), "spec.f: z.coerce changes the value"],
    ["a date", z.date(), "spec.f: z.date() has no equal in a CRD"],
    ["a big number", z.bigint(), "spec.f: z.bigint() has no equal in a CRD"],
    ["a tuple", z.tuple([z.string()]), "spec.f: z.tuple() has no equal in a CRD"],
    ["a union", z.union([z.string(), z.boolean()]), "spec.f: z.union() can be said in a CRD only"],
    [
      "a union that is told apart by a field",
      z.discriminatedUnion("is", [z.object({ is: z.literal("a") }), z.object({ is: z.literal("b") })]),
      "spec.f: z.union() can be said in a CRD only",
    ],
    ["null as a value", z.literal(null), "spec.f: values that are given one by one"],
    ["strict objects", z.strictObject({}), "spec.f: z.strictObject() refuses unknown fields"],
    ["other fields of a type", z.object({}).catchall(z.string()), "spec.f: .catchall() cannot stand beside"],
    [
      "keys of a map",
      z.record(z.string().min(1), z.string()),
      "spec.f: a CRD cannot say which keys a map may have",
    ],
    ["keys of a map by name", z.record(z.enum(["a"]), z.string()), "spec.f: a CRD cannot say which keys"],
    ["look-around", z.string().regex(/^(?!a)/u), "look-around is not possible in a CRD"],
    ["back references", z.string().regex(/^(a)\1$/u), "back references are not possible in a CRD"],
    ["flags", z.string().regex(/a/iu), "flags (i) are not possible in a CRD"],
    ["two patterns", z.string().regex(/a/u).regex(/b/u), "spec.f: has two checks that both set pattern"],
    ["a format that is code", z.url(), "spec.f: the text format url is code"],
    ["a number format of its own", z.uint32(), "spec.f: the number format uint32 has no equal in a CRD"],
    [
      "a default inside a list",
      z.array(z.string().default("a")),
      "spec.f[*]: only a field can be optional or have a default",
    ],
    [
      "a default that does not fit",
      z.object({ a: z.string().min(2).default("a") }),
      'spec.f.a: default "a" does not fit the field itself',
    ],
    [
      "a default that the server would complete",
      z.object({ a: z.string().default("a").optional() }).default({}),
      "spec.f: .default() has fields that have defaults of their own",
    ],
    ["recursion", tree, "spec.f.children[*]: contains itself"],
  ])("%s", (_what, schema, message) => {
    const convert = (): unknown => structuralOf(z.object({ f: schema }), "spec");
    expect(convert).toThrow(SchemaError);
    expect(convert).toThrow(message);
  });
});
