import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatIpv4, parseIpv4 } from "./ipv4.ts";

describe("IPv4 addresses", () => {
  it.each([
    ["0.0.0.0", 0],
    ["10.96.0.1", 174_063_617],
    ["255.255.255.255", 2 ** 32 - 1],
  ])("%s is a number, and back", (text, number) => {
    expect(parseIpv4(text)).toBe(number);
    expect(formatIpv4(number)).toBe(text);
  });

  it.each([
    "",
    "10.0.0",
    "10.0.0.0.0",
    "10.0.0.256",
    "10.0.0.01",
    "10.0.0.-1",
    "10.0.0.1 ",
    "::1",
    "a.b.c.d",
  ])("%j is none", (text) => {
    expect(parseIpv4(text)).toBeUndefined();
  });

  it("every number is an address, and back", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (number) => {
        expect(parseIpv4(formatIpv4(number))).toBe(number);
      }),
    );
  });
});
