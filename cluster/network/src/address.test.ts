import { describe, expect, it } from "vitest";
import { addressAt, inRange, overlap, parseRange } from "./address.ts";

describe("address ranges", () => {
  it("count from their first address", () => {
    const range = parseRange("10.244.0.0/16");
    expect(range.size).toBe(65_536);
    expect(addressAt(range, 0)).toBe("10.244.0.0");
    expect(addressAt(range, 257)).toBe("10.244.1.1");
    expect(addressAt(range, 65_535)).toBe("10.244.255.255");
    expect(() => addressAt(range, 65_536)).toThrow("65536 addresses");
  });

  it.each([
    ["10.0.0.0", "8 to 30 bits"],
    ["10.0.0.0/33", "8 to 30 bits"],
    ["10.0.0/8", "IPv4"],
    ["10.0.0.1/24", "10.0.0.0/24"],
    ["010.0.0.0/24", "IPv4"],
  ])("refuse %s", (text, why) => {
    expect(() => parseRange(text)).toThrow(why);
  });

  it("know what is in them", () => {
    const range = parseRange("192.168.8.0/22");
    expect(["192.168.8.0", "192.168.11.255"].every((address) => inRange(range, address))).toBe(true);
    expect(["192.168.7.255", "192.168.12.0", "", "::1"].some((address) => inRange(range, address))).toBe(
      false,
    );
  });

  it("overlap when one holds a part of the other", () => {
    const [wide, narrow, other] = ["10.0.0.0/8", "10.96.0.0/16", "172.16.0.0/12"].map(parseRange);
    if (wide === undefined || narrow === undefined || other === undefined) throw new Error("three ranges");
    expect(overlap(wide, narrow) && overlap(narrow, wide)).toBe(true);
    expect(overlap(wide, other) || overlap(other, narrow)).toBe(false);
  });
});
