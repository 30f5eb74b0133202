import type { Random } from "@kedge/machinery";
import { oneOf, some, weighted } from "./choose.ts";

/** A name that may be good for something, or nearly. Never empty. */
export function anyName(random: Random): string {
  return weighted(random, [
    [5, () => part(random)],
    [3, () => some(random, [2, 3], () => part(random)).join(".")],
    [
      3,
      () =>
        `${part(random)}${oneOf(random, [".", "-", "_", "/", ".com/", "--", "..", " ", "=", "%", "é", "A", "*"])}${part(random)}`,
    ],
    [2, () => `${oneOf(random, [".", "-", "_", "/", "..", "*.", " ", "\\t", "A", "7"])}${part(random)}`],
    [
      2,
      () =>
        `${part(random)}${oneOf(random, [".", "-", "_", "/", "\n", "é", "😀", "A", "7", '"', "\\", "<"])}`,
    ],
    [
      1,
      () =>
        oneOf(random, [
          ".",
          "..",
          "-",
          "--",
          "/",
          "a/b/c",
          "*",
          "*.",
          "*.a.b",
          "a.*.b",
          "é",
          "0",
          "123",
          "a b",
          "A=B",
        ]),
    ],
    [1, () => repeated(random)],
  ]);
}

function part(random: Random): string {
  return some(random, [1, 4], () => oneOf(random, pieces)).join("");
}

const pieces = ["a", "b", "c", "x", "y", "z", "0", "1", "2", "9", "web", "example", "my-app", "v1"];

/** At the limits of length. */
function repeated(random: Random): string {
  const length = oneOf(random, [15, 16, 63, 64, 253, 254]);
  const text = oneOf(random, ["a", "a.", "é", "b-c", "0", `${"p".repeat(60)}.`]);
  return (
    text.repeat(Math.ceil(length / text.length)).slice(0, length - 1) + oneOf(random, ["a", "a", "-", "A"])
  );
}
