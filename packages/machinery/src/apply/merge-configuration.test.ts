import { expect, test } from "vitest";
import { finish } from "../steps.ts";
import { structuralSchema } from "../type-schema/structural-schema.ts";
import { untypedSchema } from "../type-schema/deduced-schema.ts";
import { mergeConfiguration } from "./merge-configuration.ts";

const text = { type: "string" };
const schema = structuralSchema(
  {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer" },
          names: { type: "array", items: text },
          parts: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: { type: "object", properties: { name: text, colour: text } },
          },
        },
      },
    },
  },
  { objectMeta: untypedSchema },
);

const live = { spec: { size: 1, names: ["a"], parts: [{ name: "a", colour: "red" }] } };

test("what is applied is laid over what is there", () => {
  const applied = { spec: { size: 2, parts: [{ name: "b" }, { name: "a", colour: "blue" }] } };
  expect(finish(mergeConfiguration(schema, live, applied))).toEqual({
    spec: { size: 2, names: ["a"], parts: [{ name: "b" }, { name: "a", colour: "blue" }] },
  });
});

test("what is owned as a whole cannot be applied", () => {
  expect(() => finish(mergeConfiguration(schema, live, { spec: { names: ["b"] } }))).toThrow(
    "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.names",
  );
});

test("what the schema does not know is refused by name", () => {
  expect(() => finish(mergeConfiguration(schema, live, { spec: { bogus: 1 } }))).toThrow(
    "failed to convert patch object to typed object: .spec.bogus: field not declared in schema",
  );
});
