import { expect, test } from "vitest";
import { generateName } from "./generate-name.ts";
import { seededRandom, type Random } from "../random.ts";

const characters = "bcdfghjklmnpqrstvwxz2456789";

/** A source that hands out these whole numbers. */
function scripted(...values: number[]): Random {
  return {
    next: () => 0,
    int: (bound) => {
      expect(bound).toBe(characters.length);
      return values.shift() ?? 0;
    },
    uuid: () => "",
  };
}

test("five characters without vowels follow the base", () => {
  expect(generateName("web-", scripted(0, 1, 2, 25, 26))).toBe("web-bcd89");
});

test("every character of the alphabet can be drawn", () => {
  const drawn = characters.split("").map((_, i) => generateName("", scripted(i, i, i, i, i))[0]);
  expect(drawn.join("")).toBe(characters);
});

test("a long base is cut so that the name fits in a DNS label", () => {
  expect(generateName("a".repeat(59), scripted())).toBe(`${"a".repeat(58)}bbbbb`);
  expect(generateName("a".repeat(58), scripted())).toBe(`${"a".repeat(58)}bbbbb`);
});

test("the cut leaves no half character", () => {
  expect(generateName(`${"a".repeat(57)}😀`, scripted()).isWellFormed()).toBe(true);
});

test("the same seed gives the same name", () => {
  expect(generateName("web-", seededRandom(1))).toBe(generateName("web-", seededRandom(1)));
  expect(generateName("web-", seededRandom(1))).not.toBe(generateName("web-", seededRandom(2)));
});
