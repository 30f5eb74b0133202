import { expect, it } from "vitest";
import { messageOf } from "./message-of.ts";

it.each([
  ["an error", new Error("no"), "no"],
  ["a text", "no", "no"],
  ["nothing", undefined, "undefined"],
  ["several errors", new AggregateError([new Error("a"), "b"]), "a; b"],
  ["several errors that say something together", new AggregateError([new Error("a")], "all"), "all"],
])("%s says so", (_name, error, said) => {
  expect(messageOf(error)).toBe(said);
});
