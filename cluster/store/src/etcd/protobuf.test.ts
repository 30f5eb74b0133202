import fc from "fast-check";
import { expect, it } from "vitest";
import { MessageWriter, readFields, textOf, type FieldValue } from "./protobuf.ts";
import { isTrusted } from "./version.ts";

function fieldsOf(bytes: Uint8Array): readonly (readonly [number, FieldValue])[] {
  const fields: [number, FieldValue][] = [];
  readFields(bytes, (field, value) => fields.push([field, value]));
  return fields;
}

it("reads what it writes", () => {
  const number = fc.maxSafeNat();
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), number)), (fields) => {
      const writer = new MessageWriter();
      for (const [field, value] of fields) writer.int(field, value, true);
      expect(fieldsOf(writer.finish())).toEqual(fields);
    }),
  );
  const message = new MessageWriter().message(7, new MessageWriter().text(1, "ключ").bool(2, true));
  const [[field, inner] = [0, 0]] = fieldsOf(message.finish());
  expect(field).toBe(7);
  const found = fieldsOf(typeof inner === "number" ? new Uint8Array() : inner);
  expect(found.map(([at, value]) => [at, typeof value === "number" ? value : textOf(value)])).toEqual([
    [1, "ключ"],
    [2, 1],
  ]);
});

it("leaves out what is the default, and skips what it does not know", () => {
  expect(new MessageWriter().int(1, 0).bool(2, false).text(3, "").finish().length).toBe(0);
  // A fixed64 of field 1, a fixed32 of field 2, then 5 in field 3.
  const bytes = Uint8Array.of(0x09, ...new Uint8Array(8), 0x15, 1, 1, 1, 1, 0x18, 5);
  expect(fieldsOf(bytes)).toEqual([[3, 5]]);
});

it("reads negative numbers, as etcd numbers the watch of a progress answer", () => {
  expect(fieldsOf(Uint8Array.of(0x10, ...new Uint8Array(9).fill(0xff), 0x01))).toEqual([[2, -1]]);
});

it.each([
  ["in the middle of a number", [0x08, 0x80]],
  ["in the middle of a field", [0x0a, 5, 1]],
])("refuses a message that ends %s", (_what, bytes) => {
  expect(() => fieldsOf(Uint8Array.from(bytes))).toThrow(/a protobuf message ends/u);
});

it.each([
  ["3.4.30", false],
  ["3.4.31", true],
  ["3.5.12", false],
  ["3.5.13", true],
  ["3.6.0-rc.1", true],
  ["3.3.27", false],
  ["4.0.0", true],
])("trusts the watches of etcd %s: %j", (version, expected) => {
  expect(isTrusted(version)).toBe(expected);
});
