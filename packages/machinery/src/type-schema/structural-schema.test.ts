import { describe, expect, test } from "vitest";
import { deducedSchema, untypedSchema } from "./deduced-schema.ts";
import { structuralSchema } from "./structural-schema.ts";
import type { TypeSchema } from "./type-schema.ts";

const objectMeta: TypeSchema = { ...deducedSchema, name: "ObjectMeta" };

function specOf(spec: object, preserveUnknownFields = false): TypeSchema {
  const schema = { type: "object", properties: { spec } };
  const found = structuralSchema(schema, { objectMeta, preserveUnknownFields }).map?.field("spec");
  if (found === undefined) throw new Error("spec is gone");
  return found.type;
}

test("every object has apiVersion, kind and metadata, whatever its schema says of them", () => {
  const schema = structuralSchema(
    { type: "object", properties: { metadata: { type: "string" } } },
    { objectMeta },
  );
  expect(schema.map?.fieldNames.toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
  expect(schema.map?.field("metadata")?.type).toBe(objectMeta);
  expect(schema.map?.field("kind")?.type.scalar).toBe("string");
});

test.each([
  ["integers", { type: "integer" }, "numeric"],
  ["numbers", { type: "number" }, "numeric"],
  ["booleans", { type: "boolean" }, "boolean"],
  ["text", { type: "string" }, "string"],
  ["bytes", { type: "string", format: "byte" }, "string"],
  ["times, which may be anything", { type: "string", format: "date-time" }, "untyped"],
  ["what may be a number or text", { "x-kubernetes-int-or-string": true }, "untyped"],
])("scalars: %s", (_, schema, scalar) => {
  expect(specOf(schema).scalar).toBe(scalar);
});

describe("lists", () => {
  const item = { type: "object", properties: { name: { type: "string", default: "x" } } };

  test("are atomic unless something else is said", () => {
    expect(specOf({ type: "array", items: item }).list?.type).toBe("atomic");
    expect(specOf({ type: "array", items: item, "x-kubernetes-list-type": "set" }).list?.type).toBe("set");
  });

  test("of maps have keys, which may have defaults", () => {
    const list = specOf({
      type: "array",
      items: item,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }).list;
    expect(list).toMatchObject({ type: "map", keys: ["name"] });
    expect(list?.item.map?.field("name")?.default).toBe("x");
  });

  test("without a word about their items are untyped", () => {
    expect(specOf({ type: "array" }).list?.item).toBe(untypedSchema);
  });
});

describe("objects", () => {
  const properties = { a: { type: "string" } };

  test("are granular unless they are marked atomic", () => {
    expect(specOf({ type: "object", properties }).map?.atomic).toBe(false);
    expect(specOf({ type: "object", properties, "x-kubernetes-map-type": "atomic" }).map?.atomic).toBe(true);
  });

  test("have no other fields than those described", () => {
    expect(specOf({ type: "object", properties }).map?.values).toBeUndefined();
    expect(specOf({ type: "object", properties, additionalProperties: false }).map?.values).toBeUndefined();
  });

  test("have any fields when none is described, or all are allowed", () => {
    expect(specOf({ type: "object" }).map?.values).toBe(deducedSchema);
    expect(specOf({ type: "object", additionalProperties: true }).map?.values).toBe(deducedSchema);
    expect(specOf({ type: "object", properties }, true).map?.values).toBe(deducedSchema);
    expect(specOf({ type: "object", additionalProperties: { type: "integer" } }).map?.values?.scalar).toBe(
      "numeric",
    );
  });

  test("keep unknown fields at any depth below where that is said", () => {
    const inner = { type: "object", properties };
    const schema = specOf({
      type: "object",
      properties: { inner },
      "x-kubernetes-preserve-unknown-fields": true,
    });
    expect(schema.map?.values).toBe(deducedSchema);
    expect(schema.map?.field("inner")?.type.map?.values).toBe(deducedSchema);
  });

  test("that are embedded resources have metadata too", () => {
    const schema = specOf({ type: "object", "x-kubernetes-embedded-resource": true });
    expect(schema.map?.field("metadata")?.type).toBe(objectMeta);
  });
});
