import { describe, expect, it } from "vitest";
import { compareHistories, reaches } from "./history.ts";
import type { History } from "./server-facts.ts";

const history = (id: string, offset: number, second?: readonly [string, number]): History => ({
  id,
  offset,
  secondId: second?.[0],
  secondOffset: second?.[1] ?? -1,
});

describe("compareHistories", () => {
  it.each([
    ["equal ids and offsets", history("a", 10), history("a", 10), "same"],
    ["more of the same stream", history("a", 11), history("a", 10), "ahead"],
    ["less of the same stream", history("a", 9), history("a", 10), "behind"],
    ["another stream", history("b", 10), history("a", 10), "diverged"],
    ["a promoted replica and one that had as much", history("b", 20, ["a", 11]), history("a", 10), "ahead"],
    ["a promoted replica and one that had more", history("b", 20, ["a", 11]), history("a", 11), "diverged"],
    ["a restarted primary that has lost its stream", history("c", 0), history("a", 10), "diverged"],
  ] as const)("%s", (_name, one, other, relation) => {
    expect(compareHistories(one, other)).toBe(relation);
    const back = { same: "same", ahead: "behind", behind: "ahead", diverged: "diverged" }[relation];
    expect(compareHistories(other, one)).toBe(back);
  });

  it("knows nothing of an id that is empty on both sides by chance", () => {
    expect(reaches(history("b", 5), { id: "", offset: 0 })).toBe(false);
  });
});
