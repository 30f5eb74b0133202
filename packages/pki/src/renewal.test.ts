import { seededRandom, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { createAuthority } from "./authority.ts";
import { needsRenewal, renewalTime } from "./renewal.ts";

const epoch = Date.UTC(2026, 0, 1);
const minute = 60_000;

/** Good for 25 minutes: 5 that it is dated back, 20 to come. Its last third begins after 11 minutes and 40 seconds. */
async function shortLived(): Promise<string> {
  const authority = await createAuthority({
    name: "ca",
    clock: new VirtualClock({ epoch }),
    random: seededRandom(1),
  });
  const { certificate } = await authority.issueClient({ user: "a", lifetime: 20 * minute });
  return certificate;
}

it.each([
  ["just issued", 0, false],
  ["a moment before its last third", 11 * minute + 39_999, false],
  ["in its last third", 11 * minute + 40_000, true],
  ["expired", 21 * minute, true],
  ["not good yet", -6 * minute, true],
])("a certificate that is %s", async (_when, elapsed, expected) => {
  expect(needsRenewal(await shortLived(), new VirtualClock({ epoch: epoch + elapsed }))).toBe(expected);
});

it("says when that will be", async () => {
  expect(renewalTime(await shortLived())).toBe(epoch + 11 * minute + 40_000);
});

it("refuses what is no certificate", () => {
  expect(() => needsRenewal("nonsense", new VirtualClock())).toThrow(
    "certificate: is not a certificate in PEM",
  );
});
