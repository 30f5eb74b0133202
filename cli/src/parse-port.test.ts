import { expect, it } from "vitest";
import { parsePort } from "./parse-port.ts";

it.each(["1", "6443", "65535"])("takes %s", (text) => {
  expect(parsePort(text)).toBe(Number(text));
});

it.each(["0", "65536", "-1", "80a", "", "1e3", "8.5"])("refuses %j and says what is allowed", (text) => {
  expect(() => parsePort(text)).toThrow(`${text} is no port: it must be a number from 1 to 65535`);
});

it("takes 0 where any free one will do", () => {
  expect(parsePort("0", true)).toBe(0);
});
