import { expect, it } from "vitest";
import { parseNodes } from "./parse-nodes.ts";

it.each(["1", "3", "1000"])("takes %s", (text) => {
  expect(parseNodes(text)).toBe(Number(text));
});

it.each(["0", "1001", "-1", "3a", "", "1e1", "2.5"])("refuses %j and says what is allowed", (text) => {
  expect(() => parseNodes(text)).toThrow(`${text} is no number of nodes: it must be from 1 to 1000`);
});
