import { expect, test } from "vitest";
import { heldLease, judgeLease, releasedLease } from "./judge-lease.ts";

const other = { holderIdentity: "other", leaseDurationSeconds: 15, leaseTransitions: 3, acquireTime: "then" };

test.each([
  ["nobody has made it", undefined, 0, { type: "take" }],
  ["nobody holds it", { ...other, holderIdentity: "" }, 0, { type: "take" }],
  ["we hold it", { ...other, holderIdentity: "we" }, 0, { type: "take" }],
  ["its holder was just heard of", other, 0, { type: "wait", holder: "other", ms: 15_000 }],
  ["its holder was silent for a while", other, 14_999, { type: "wait", holder: "other", ms: 1 }],
  ["its holder was silent for as long as it said", other, 15_000, { type: "take" }],
])("a Lease when %s", (_, spec, silentMs, judgement) => {
  expect(judgeLease(spec, { identity: "we", since: 500, now: 500 + silentMs })).toEqual(judgement);
});

test("a renewal keeps when it was acquired, a new holder counts", () => {
  const as = { identity: "other", leaseMs: 15_000, now: "now" };
  expect(heldLease(other, as)).toEqual({ ...other, renewTime: "now" });
  expect(heldLease(other, { ...as, identity: "we" })).toEqual({
    holderIdentity: "we",
    leaseDurationSeconds: 15,
    leaseTransitions: 4,
    acquireTime: "now",
    renewTime: "now",
  });
  expect(releasedLease(other, "now")).toMatchObject({
    holderIdentity: "",
    leaseDurationSeconds: 1,
    leaseTransitions: 3,
  });
});
