import { describe, expect, it } from "vitest";
import { lastWords } from "./last-words.ts";

describe("the end of a log", () => {
  it.each([
    ["is its last three lines", "one\ntwo\n\n three \nfour\n", "two | three | four"],
    ["is nothing of nothing", " \n\n", ""],
    ["has no control characters", "a\u001B[31mb\tc\n", "a [31mb c"],
    ["has fewer lines when they are long", `${"a".repeat(200)}\n${"b".repeat(200)}\n`, "b".repeat(200)],
    ["is cut at its end when it is one long line", "a".repeat(999), `${"a".repeat(300)}…`],
  ])("%s", (_what, text, words) => {
    expect(lastWords(text)).toBe(words);
  });
});
