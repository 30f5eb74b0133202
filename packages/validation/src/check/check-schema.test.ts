import { fieldPath } from "@kedge/machinery";
import { expect, test } from "vitest";
import { checkSchemaInSteps } from "./check-schema.ts";

test("a schema is walked once in a step: a large one must not hold up others for all of its checks", () => {
  const steps = checkSchemaInSteps(
    { type: "object", properties: { spec: { type: "object" } } },
    fieldPath("schema"),
    { statusSubresource: false },
  );
  const yields = steps.toArray();
  expect(yields.length).toBeGreaterThanOrEqual(4);
});
