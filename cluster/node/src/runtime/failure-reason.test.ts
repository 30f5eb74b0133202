import { expect, test } from "vitest";
import { failureReason } from "./failure-reason.ts";

test.each([
  ["", "conmon could not make it and said nothing"],
  ["first\nrunc create failed: no\n", "runc create failed: no"],
  [
    String.raw`time="x" level=error msg="runc create failed: \"a\" is not there"`,
    'runc create failed: "a" is not there',
  ],
  // What was used at the moment is another number each time.
  [
    "runc create failed: unable to start container process: unable to set memory limit to 1048576 (current usage: 2134016, peak usage: 2154496)",
    "runc create failed: a memory limit of 1048576 bytes is less than it takes to start a container",
  ],
])("of %j is told: %s", (said, told) => {
  expect(failureReason(said)).toBe(told);
});
