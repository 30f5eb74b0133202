import { expect, test } from "vitest";
import { kstatusOf } from "../kstatus/kstatus.ts";

/** A test of `kstatusOf`: what differs from the base object, and what is to come out. */
export type KstatusCase = [name: string, change: Change, status: string, reason: string, message: string];

interface Change {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

/** Defines a test per case, each of which changes fields of the base object; undefined takes a field away. */
export function checkKstatus(
  [apiVersion, kind]: readonly [apiVersion: string, kind: string],
  base: Change,
  cases: readonly KstatusCase[],
): void {
  test.each(cases)("%s", (_name, change, ...[status, reason, message]) => {
    const object = {
      apiVersion,
      kind,
      metadata: { name: "test", generation: 1, ...change.metadata },
      spec: { ...base.spec, ...change.spec },
      status: { ...base.status, ...change.status },
    };
    expect(kstatusOf(JSON.parse(JSON.stringify(object)) as object, clock)).toEqual({
      status,
      reason,
      message,
    });
  });
}

/** A clock that stands still. */
export const clock = { now: (): number => Date.parse("2026-01-01T00:01:00Z") };

/** A condition as it stands in a status. */
export function condition(type: string, status: string, reason?: string, message?: string): object {
  return { type, status, reason, message };
}
