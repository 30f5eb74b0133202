import { expect, test } from "vitest";
import { goQuote } from "./go-quote.ts";

test.each([
  ["plain text stays", "app.kubernetes.io/name", '"app.kubernetes.io/name"'],
  ["nothing is a pair of quotes", "", '""'],
  ["quotes and backslashes are escaped", 'a"b\\c', String.raw`"a\"b\\c"`],
  ["the usual control characters have names", "\x07\b\f\n\r\t\v", String.raw`"\a\b\f\n\r\t\v"`],
  ["other ASCII is written in two hex digits", "\0\x7f\x1b", String.raw`"\x00\x7f\x1b"`],
  [
    "what cannot be seen is written as its code point",
    "\u0080\u00a0\u00ad\u2028",
    String.raw`"\u0080\u00a0\u00ad\u2028"`,
  ],
  ["also beyond the basic plane", "\u{e0001}", String.raw`"\U000e0001"`],
  ["what can be seen stays as it is", "é世😀", '"é世😀"'],
  ["half a surrogate pair becomes the replacement character", "a\ud800b", '"a\ufffdb"'],
])("%s", (_name, text, quoted) => {
  expect(goQuote(text)).toBe(quoted);
});
