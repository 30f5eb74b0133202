import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json-value.ts";
import { deducedSchema } from "../type-schema/deduced-schema.ts";
import { withMeta } from "./object-meta.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { configMaps, custom, objectOf, owners, services } from "./testing/apply-to.ts";

const monday = "2026-11-16T10:00:00Z";
const tuesday = "2026-11-17T10:00:00Z";

function stored(object: Readonly<JsonObject>): Readonly<JsonObject> {
  return withMeta(object, "uid", "1");
}

describe("lists", () => {
  const items = custom({
    type: "object",
    properties: {
      items: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            v: { type: "integer" },
            inner: { type: "object", properties: { x: { type: "integer" } } },
          },
        },
      },
      set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      atomic: { type: "array", items: { type: "string" } },
    },
  });
  const apply = (live: Readonly<JsonObject>, manager: string, spec: object) =>
    serverSideApply({ live, applied: objectOf(items, { spec }), manager, time: monday }, items);

  test("of maps are merged item by item, in the order of who applies", () => {
    const live = stored(apply({}, "one", { items: [{ name: "a" }, { name: "b" }, { name: "c" }] }));
    const object = apply(live, "two", { items: [{ name: "c", v: 1 }, { name: "x" }, { name: "a" }] });
    expect(object["spec"]).toEqual({
      items: [{ name: "b" }, { name: "c", v: 1 }, { name: "x" }, { name: "a" }],
    });
  });

  test("of maps lose the items that are given up", () => {
    const live = stored(apply({}, "one", { items: [{ name: "a", v: 1 }, { name: "b" }] }));
    expect(apply(live, "one", { items: [{ name: "b" }] })["spec"]).toEqual({ items: [{ name: "b" }] });
    const shared = stored(apply(live, "two", { items: [{ name: "a" }] }));
    expect(apply(shared, "one", { items: [{ name: "b" }] })["spec"]).toEqual({
      items: [{ name: "a" }, { name: "b" }],
    });
  });

  test("of maps lose the structs of their items that are given up, without a trace", () => {
    const live = stored(apply({}, "one", { items: [{ name: "a", inner: { x: 1 } }] }));
    expect(apply(live, "one", { items: [{ name: "a" }] })["spec"]).toEqual({ items: [{ name: "a" }] });
  });

  test("that are sets are put together, atomic ones replaced", () => {
    const live = stored(apply({}, "one", { set: ["a", "b"], atomic: ["a", "b"] }));
    const object = serverSideApply(
      {
        live,
        applied: objectOf(items, { spec: { set: ["c"], atomic: ["c"] } }),
        manager: "two",
        force: true,
        time: monday,
      },
      items,
    );
    expect(object["spec"]).toEqual({ set: ["a", "b", "c"], atomic: ["c"] });
  });

  test("may not be applied with two items of a key, but may be stored with them", () => {
    expect(() => apply({}, "one", { items: [{ name: "a" }, { name: "a", v: 1 }] })).toThrow(
      'failed to create typed patch object (default/x; example.com/v1, Kind=Thing): .spec.items: duplicate entries for key [name="a"]',
    );
    const live = stored(objectOf(items, { spec: { items: [{ name: "a" }, { name: "a", v: 1 }] } }));
    const kept = apply(live, "two", { items: [{ name: "b" }] });
    expect(kept["spec"]).toEqual({ items: [{ name: "a" }, { name: "a", v: 1 }, { name: "b" }] });
  });

  test("take a left out key for its default", () => {
    const ports = (port: object) => objectOf(services, { spec: { ports: [port] } });
    const live = stored(
      serverSideApply({ live: {}, applied: ports({ port: 80 }), manager: "one", time: monday }, services),
    );
    const applied = ports({ port: 80, protocol: "TCP", name: "http" });
    const object = serverSideApply({ live, applied, manager: "two", time: monday }, services);
    expect(object["spec"]).toEqual({ ports: [{ port: 80, protocol: "TCP", name: "http" }] });
  });
});

describe("schemas", () => {
  test("a field that is not declared cannot be applied", () => {
    expect(() =>
      serverSideApply(
        { live: {}, applied: objectOf(configMaps, { spec: {} }), manager: "me", time: monday },
        configMaps,
      ),
    ).toThrow(".spec: field not declared in schema");
  });

  test.each([
    [
      "a number for text",
      { data: { a: 1 } },
      ".data.a: expected string, got &value.valueUnstructured{Value:1}",
    ],
    ["text for an object", { data: "a" }, ".data: expected map, got &{a}"],
    ["text for a flag", { immutable: "yes" }, ".immutable: expected boolean, got &{yes}"],
    [
      "an object for a list",
      { metadata: { name: "x", finalizers: { a: 1 } } },
      ".metadata.finalizers: expected list, got &{map[a:1]}",
    ],
  ])("%s cannot be applied", (_, rest, message) => {
    expect(() =>
      serverSideApply(
        { live: {}, applied: objectOf(configMaps, rest), manager: "me", time: monday },
        configMaps,
      ),
    ).toThrow(message);
  });

  test("content without a schema is owned field by field, and lists as a whole", () => {
    const options = { apiVersion: "example.com/v1", kind: "Thing", schema: deducedSchema };
    const applied = objectOf(options, { spec: { a: { b: 1 }, c: [{ d: 1 }] } });
    expect(owners(serverSideApply({ live: {}, applied, manager: "me", time: monday }, options))).toEqual([
      'me Apply {"f:spec":{".":{},"f:a":{".":{},"f:b":{}},"f:c":{}}}',
    ]);
  });

  test("who owned parts of what is atomic now owns it as a whole", () => {
    const properties = { a: { type: "string" }, b: { type: "string" } };
    const granular = custom({ type: "object", properties: { m: { type: "object", properties } } });
    const atomic = custom({
      type: "object",
      properties: { m: { type: "object", properties, "x-kubernetes-map-type": "atomic" } },
    });
    const applied = objectOf(granular, { spec: { m: { a: "1" } } });
    const live = stored(serverSideApply({ live: {}, applied, manager: "me", time: monday }, granular));
    const object = serverSideApply(
      {
        live,
        applied: objectOf(atomic, { metadata: { name: "x", labels: { l: "1" } } }),
        manager: "other",
        time: tuesday,
      },
      atomic,
    );
    expect(owners(object)[0]).toBe('me Apply {"f:spec":{"f:m":{}}}');
  });
});
