import { expect, it } from "vitest";
import { suiteOf } from "./suite-reporter.ts";

it.each([
  ["packages/client/src/transport/transport.test.ts", "packages/client"],
  ["cli/src/app.test.ts", "cli"],
  ["lint/lint.test.ts", "lint"],
  ["e2e/launcher/launcher.test.ts", "e2e/launcher"],
  ["operators/redis/src/plan/scale.test.ts", "operators/redis"],
])("%s belongs to %s", (path, suite) => {
  expect(suiteOf(path)).toBe(suite);
});
