import { describe, expect, it } from "vitest";
import { bytesToFree, planCollection, usualCollection, type Collectable } from "./plan-collection.ts";

describe("the disk", () => {
  it.each([
    ["half full", 500, 0],
    ["84 percent full", 160, 0],
    ["85 percent full", 150, 50],
    ["full", 0, 200],
  ])("that is %s needs bytes free: %s available, %s to go", (_what, available, bytes) => {
    expect(bytesToFree({ capacity: 1000, available }, usualCollection)).toBe(bytes);
  });

  it("of no size is left alone", () => {
    expect(bytesToFree({ capacity: 0, available: 0 }, usualCollection)).toBe(0);
  });
});

describe("images", () => {
  const image = (name: string, usedAt: number, more: Partial<Collectable> = {}): Collectable => ({
    id: `sha256:${name}`,
    names: [name],
    bytes: 100,
    from: "registry",
    usedAt,
    inUse: false,
    ...more,
  });
  const plan = (images: readonly Collectable[], bytes: number): readonly string[] =>
    planCollection(images, { bytes, now: 1000, leastAgeMs: 100 }).flatMap(({ names }) => names);

  it.each<[string, readonly Collectable[], number, readonly string[]]>([
    [
      "the one that was not used for longest goes first",
      [image("b", 2), image("a", 1), image("c", 3)],
      150,
      ["a", "b"],
    ],
    ["none goes when nothing is wanted", [image("a", 1)], 0, []],
    ["those in use stay", [image("a", 1, { inUse: true }), image("b", 2)], 500, ["b"]],
    [
      "those that a user has loaded stay",
      [image("a", 1, { from: "archive" }), image("b", 2, { from: "packages" })],
      500,
      ["b"],
    ],
    ["those that were just used stay", [image("a", 901), image("b", 900)], 500, ["b"]],
  ])("%s", (_what, images, bytes, expected) => {
    expect(plan(images, bytes)).toEqual(expected);
  });
});
