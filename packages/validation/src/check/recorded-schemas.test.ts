import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fieldErrorBody, fieldPath } from "@kedge/machinery";
import { expect, test } from "vitest";
import type { JsonSchema } from "../json-schema.ts";
import { checkSchema } from "./check-schema.ts";

/** What a real kube-apiserver 1.36 answered to definitions with this schema: field, reason and message of each cause. */
interface Recorded {
  readonly schema: JsonSchema;
  readonly causes: readonly (readonly [string, string, string])[];
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "../testing/recorded-schemas.json"), "utf8"),
) as Recorded[];

test.each(recorded.map((each) => [JSON.stringify(each.schema), each] as const))(
  "a real server says the same of %s",
  (_, { schema, causes }) => {
    const errors = checkSchema(schema, fieldPath("spec", "validation", "openAPIV3Schema"), {
      statusSubresource: false,
    });
    const ours = errors.map((error) => [error.field, error.type, fieldErrorBody(error)].join(" "));
    // Fields of objects have no order on the server.
    expect(ours.toSorted()).toEqual(causes.map((cause) => cause.join(" ")).toSorted());
  },
);
