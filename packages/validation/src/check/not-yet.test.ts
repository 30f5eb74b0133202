import { fieldPath } from "@kedge/machinery";
import { expect, test } from "vitest";
import type { JsonSchema } from "../json-schema.ts";
import { unsupported } from "./not-yet.ts";

const rules = { "x-kubernetes-validations": [{ rule: "true" }] };

test.each<[string, JsonSchema, readonly string[]]>([
  ["nothing of a schema without rules", { type: "object", properties: { a: { type: "string" } } }, []],
  ["rules at the root", { type: "object", ...rules }, ["s.x-kubernetes-validations"]],
  [
    "rules of fields, items and values",
    {
      type: "object",
      properties: {
        a: { type: "array", items: { type: "string", ...rules } },
        b: { type: "object", additionalProperties: { type: "string", ...rules } },
      },
    },
    [
      "s.properties[a].items.x-kubernetes-validations",
      "s.properties[b].additionalProperties.x-kubernetes-validations",
    ],
  ],
])("refuses %s", (_, schema, fields) => {
  const errors = unsupported(schema, fieldPath("s"));
  expect(errors.map(({ field }) => field)).toEqual(fields);
  for (const { detail } of errors) expect(detail).toMatch(/^rules in CEL are not supported yet/u);
});
