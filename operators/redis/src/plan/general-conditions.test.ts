import { expect, it } from "vitest";
import type { RedisPhase } from "../kind.ts";
import { instanceOf, observedOf, podOf } from "../testing/builders.ts";
import { generalConditions } from "./general-conditions.ts";

const up = podOf("cache-0", { conditions: [{ type: "Ready", status: "True" }] });
const down = podOf("cache-0", { conditions: [{ type: "Ready", status: "False" }] });
const leaving = { ...up, metadata: { ...up.metadata, deletionTimestamp: "2026-11-16T01:00:00Z" } };

function said(
  phase: RedisPhase,
  pods: readonly (typeof up)[],
  { spec, before }: { readonly spec?: object; readonly before?: RedisPhase } = {},
): string {
  const report = { phase, ready: phase === "Running", reason: "Why", message: "m" };
  const instance = instanceOf(spec, before === undefined ? {} : { status: { status: before } });
  return generalConditions(observedOf(instance, { pods }), report)
    .filter(({ type }) => type !== "AuthReady")
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`)
    .join(", ");
}

it.each<[string, RedisPhase, readonly (typeof up)[], object, string]>([
  [
    "all is well",
    "Running",
    [up],
    {},
    "Available=True PrimaryReady, Progressing=False Settled, Degraded=False AsExpected",
  ],
  [
    "it is new",
    "Creating",
    [],
    {},
    "Available=False PrimaryNotReady, Progressing=True Why, Degraded=False AsExpected",
  ],
  [
    "it is changed",
    "Updating",
    [up],
    {},
    "Available=True PrimaryReady, Progressing=True Why, Degraded=False AsExpected",
  ],
  [
    "a replica is lost",
    "Pending",
    [up],
    {},
    "Available=True PrimaryReady, Progressing=True Why, Degraded=True Why",
  ],
  [
    "the primary is lost",
    "Pending",
    [down],
    { before: "Running" },
    "Available=False PrimaryNotReady, Progressing=True Why, Degraded=True Why",
  ],
  [
    "the primary starts for the first time",
    "Pending",
    [down],
    { before: "Creating" },
    "Available=False PrimaryNotReady, Progressing=True Why, Degraded=False AsExpected",
  ],
  [
    "the primary is stopped",
    "Updating",
    [leaving],
    {},
    "Available=False PrimaryNotReady, Progressing=True Why, Degraded=False AsExpected",
  ],
  [
    "something failed",
    "Failed",
    [up],
    {},
    "Available=True PrimaryReady, Progressing=False Settled, Degraded=True Why",
  ],
  [
    "it sleeps",
    "Hibernated",
    [],
    {},
    "Available=False Hibernated, Progressing=False Settled, Degraded=False AsExpected",
  ],
  [
    "it is left alone",
    "Pending",
    [up],
    { spec: { suspend: true } },
    "Available=True PrimaryReady, Progressing=False Suspended, Degraded=True Why",
  ],
])("says when %s", (_when, phase, pods, more, expected) => {
  expect(said(phase, pods, more)).toBe(expected);
});

it.each([
  ["there", "True PasswordInUse"],
  ["deleted", "True PasswordInUse"],
  ["missing", "False PasswordMissing"],
  ["new", "False PasswordNew"],
  ["changed", "False PasswordChanging"],
  ["unusable", "False PasswordUnusable"],
  ["lost", "False PasswordLost"],
] as const)("a password that is %s: %s", (password, expected) => {
  const report = { phase: "Running", ready: true, reason: "x", message: "" } as const;
  const find = (enabled: boolean): string | undefined => {
    const observed = observedOf(instanceOf({ auth: { enabled } }), { password });
    const auth = generalConditions(observed, report).find(({ type }) => type === "AuthReady");
    return `${auth?.status} ${auth?.reason}`;
  };
  expect([find(true), find(false)]).toEqual([expected, "True Disabled"]);
});
