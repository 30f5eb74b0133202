import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ListReader } from "./list-reader.ts";
import { parseObject } from "./parse-object.ts";

function readAll(text: string, cuts: readonly number[], dropManagedFields = false): unknown {
  const bytes = Buffer.from(text);
  const reader = new ListReader({ dropManagedFields });
  const items: unknown[] = [];
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  for (let i = 1; i < borders.length; i++) {
    reader.push(bytes.subarray(borders[i - 1], borders[i]), (item) => items.push(item));
  }
  const frame = reader.end((item) => items.push(item));
  return { ...frame, items };
}

const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: false });
const managedFields = fc.array(fc.record({ manager: fc.string(), fieldsV1: json }), { maxLength: 2 });
const metadata = fc
  .tuple(fc.dictionary(fc.string(), json), fc.option(managedFields), fc.dictionary(fc.string(), json))
  .map(([before, fields, after]) => ({ ...before, ...(fields && { managedFields: fields }), ...after }));
const object = fc
  .tuple(fc.dictionary(fc.string(), json), metadata, fc.dictionary(fc.string(), json))
  .map(([before, meta, after]) => ({
    ...before,
    metadata: meta,
    spec: { template: { metadata: meta }, managedFields: [1] },
    ...after,
  }));
const spaces = fc.constantFrom(undefined, 1, "\t");

describe("ListReader", () => {
  it("reads what JSON.parse reads, however the bytes are cut into chunks", () => {
    const list = fc.record({ kind: fc.string(), metadata: json, items: fc.array(object), extra: json });
    fc.assert(
      fc.property(list, fc.array(fc.nat()), spaces, (value, cuts, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(readAll(text, cuts)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("reads items that stand before the list's metadata, and an items key deeper down is not taken for it", () => {
    const text = `{"metadata":{"items":[{"no":1}]},"items":[{"a":"items"},{"b":"]}"}],"kind":"PodList"}`;
    expect(readAll(text, [3, 40])).toEqual(JSON.parse(text));
  });

  it("reads a list whose items are null or missing as empty", () => {
    expect(readAll(`{"kind":"PodList","items":null}`, [])).toEqual({ kind: "PodList", items: [] });
    expect(readAll(`{"kind":"PodList"}`, [])).toEqual({ kind: "PodList", items: [] });
  });

  it("refuses a list that ends in the middle", () => {
    const text = `{"kind":"PodList","items":[{"a":1},{"b":`;
    expect(() => readAll(text, [20])).toThrow(/ends in the middle/);
  });

  it("refuses an answer that is not a list", () => {
    expect(() => readAll(`[1]`, [])).toThrow(/not a JSON object/);
    expect(() => readAll(`{"items":["x"]}`, [])).toThrow(/not an object/);
    expect(() => readAll(`<html>`, [])).toThrow(SyntaxError);
  });
});

describe("leaving managedFields out while parsing", () => {
  const without = (value: unknown): unknown => {
    const copy = JSON.parse(JSON.stringify(value)) as { metadata?: { managedFields?: unknown } };
    delete copy.metadata?.managedFields;
    return copy;
  };

  it("drops the object's own and nothing else", () => {
    fc.assert(
      fc.property(object, spaces, (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(parseObject(Buffer.from(text), { dropManagedFields: true })).toEqual(
          without(JSON.parse(text)),
        );
      }),
    );
  });

  it("drops them from every item of a list", () => {
    fc.assert(
      fc.property(fc.array(object), fc.array(fc.nat()), (items, cuts) => {
        const text = JSON.stringify({ kind: "PodList", items });
        const expected = (JSON.parse(text) as { items: unknown[] }).items.map(without);
        expect(readAll(text, cuts, true)).toEqual({ kind: "PodList", items: expected });
      }),
    );
  });

  it.each([
    [`{"metadata":{"managedFields":[]}}`, { metadata: {} }],
    [`{"metadata":{"managedFields":[{"a":"}]"}],"name":"x"}}`, { metadata: { name: "x" } }],
    [`{"metadata":{"name":"x","managedFields":[{"f:a":{}}]}}`, { metadata: { name: "x" } }],
    [`{"metadata":{"name":"x", "managedFields" : null ,"uid":"u"}}`, { metadata: { name: "x", uid: "u" } }],
    [`{"data":{"metadata":"managedFields"},"metadata":["managedFields"]}`, undefined],
    [`{"spec":{"metadata":{"managedFields":[1]}}}`, undefined],
    [`{"metadata":{"annotations":{"managedFields":"kept"}}}`, undefined],
  ])("%s", (text, expected) => {
    expect(parseObject(Buffer.from(text), { dropManagedFields: true })).toEqual(expected ?? JSON.parse(text));
  });
});
