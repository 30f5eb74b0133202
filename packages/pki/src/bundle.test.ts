import { seededRandom, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { createAuthority } from "./authority.ts";
import { bundleOf, certificatesIn } from "./bundle.ts";

const day = 24 * 3_600_000;

async function twoAuthorities() {
  const clock = new VirtualClock();
  const options = { clock, random: seededRandom(1) };
  const old = await createAuthority({ name: "ca", lifetime: day, ...options });
  const next = await createAuthority({ name: "ca", lifetime: 3 * day, ...options });
  return { clock, old: old.certificate, next: next.certificate };
}

it("holds both authorities, in order", async () => {
  const { clock, old, next } = await twoAuthorities();
  expect(bundleOf([next, old], clock)).toBe(next + old);
});

it("holds each once, and takes bundles apart", async () => {
  const { clock, old, next } = await twoAuthorities();
  expect(bundleOf([next, `# a comment\n${old}${next}`], clock)).toBe(next + old);
});

it("joins texts that do not end their last line", async () => {
  const { clock, old, next } = await twoAuthorities();
  expect(certificatesIn(bundleOf([next.trimEnd(), old], clock))).toEqual([next, old]);
});

it("forgets the old one when it has expired", async () => {
  const { clock, old, next } = await twoAuthorities();
  await clock.advance(day);
  expect(bundleOf([next, old], clock)).toBe(next);
});
