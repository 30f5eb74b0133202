import { expect, test } from "vitest";
import { deducedSchema } from "../type-schema/deduced-schema.ts";
import { structuralSchema } from "../type-schema/structural-schema.ts";
import { compareValues } from "./compare-values.ts";
import { pathsOf, pathText, type FieldSet } from "./field-set.ts";

const schema = structuralSchema(
  {
    properties: {
      map: { type: "object", additionalProperties: { type: "string" } },
      atomic: { type: "object", "x-kubernetes-map-type": "atomic" },
      list: { type: "array", items: { type: "string" } },
      set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      any: { "x-kubernetes-preserve-unknown-fields": true },
      items: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } },
      },
    },
  },
  { objectMeta: deducedSchema },
);

/** `+` before what was added, `-` before what was removed, `~` before what was modified. */
function changes(before: object, after: object): string {
  const { added, modified, removed } = compareValues(schema, before, after);
  const shown = (sign: string, set: FieldSet) => pathsOf(set).map((path) => sign + pathText(path));
  return [...shown("+", added), ...shown("~", modified), ...shown("-", removed)].join(" ");
}

const one = { k: "a", v: 1 };
const two = { k: "a", v: 2 };

test.each([
  ["nothing", { map: { a: "1" }, list: ["a"] }, { list: ["a"], map: { a: "1" } }, ""],
  ["keys of maps", { map: { a: "1", b: "1" } }, { map: { b: "2", c: "1" } }, "+.map.c ~.map.b -.map.a"],
  ["a new map with its keys", {}, { map: { a: "1" } }, "+.map +.map.a"],
  ["a map that is gone with its keys", { map: { a: "1" } }, {}, "-.map -.map.a"],
  ["keys of a map that was null", { map: null }, { map: { a: "1" } }, "+.map.a"],
  ["a map that was null and is empty", { map: null }, { map: {} }, "~.map"],
  ["an atomic map as a whole", { atomic: { a: 1 } }, { atomic: { b: 1 } }, "~.atomic"],
  ["a new atomic map without its keys", {}, { atomic: { a: 1 } }, "+.atomic"],
  ["an atomic list as a whole", { list: ["a", "b"] }, { list: ["b", "a"] }, "~.list"],
  ["items of sets, not their order", { set: ["a", "b"] }, { set: ["c", "b"] }, '+.set[="c"] -.set[="a"]'],
  ["fields of items", { items: [one] }, { items: [two] }, '~.items[k="a"].v'],
  [
    "new items with their fields",
    { items: [] },
    { items: [one] },
    '+.items[k="a"] +.items[k="a"].k +.items[k="a"].v',
  ],
  ["items of one key, as one", { items: [one, one] }, { items: [one, two] }, '~.items[k="a"]'],
  ["no order of other items among those of one key", { items: [one, two] }, { items: [one, two] }, ""],
  [
    "items of one key where there was one",
    { items: [one] },
    { items: [one, two] },
    '+.items[k="a"] -.items[k="a"] -.items[k="a"].k -.items[k="a"].v',
  ],
  [
    "one item where there were several of its key",
    { items: [one, two] },
    { items: [one] },
    '+.items[k="a"] +.items[k="a"].k +.items[k="a"].v -.items[k="a"]',
  ],
  ["a scalar that turned into an object", { any: 1 }, { any: { x: 1 } }, "+.any.x ~.any"],
  ["an object that turned into a scalar", { any: { x: 1 } }, { any: 1 }, "~.any -.any.x"],
  ["an object that turned into a list", { any: { x: 1 } }, { any: [1] }, "~.any -.any.x"],
  ["null that turned into a scalar", { any: null }, { any: 1 }, "~.any"],
])("%s", (_, before, after, expected) => {
  expect(changes(before, after)).toBe(expected);
});
