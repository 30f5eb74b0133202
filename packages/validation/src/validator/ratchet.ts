import { deepEqual } from "@kedge/machinery";
import type { Check } from "./check.ts";
import type { Findings } from "./findings.ts";

/** Checks a part of a value; what is wrong with a part that did not change is not told. */
export function checkPart(check: Check, value: unknown, findings: Findings, previous: unknown): void {
  if (previous === undefined) {
    check(value, findings, undefined);
    return;
  }
  const before = findings.count;
  check(value, findings, previous);
  if (findings.count > before && deepEqual(value, previous)) findings.truncate(before);
}
