import { describe, expect, it } from "vitest";
import { parseRange } from "./address.ts";
import { freeRanges } from "./free-ranges.ts";

describe("free ranges", () => {
  it("are the usual ones on a machine without a cluster", () => {
    expect(freeRanges([])).toEqual({ podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" });
  });

  it("leave out what another cluster has", () => {
    expect(freeRanges([parseRange("10.244.0.0/16"), parseRange("10.97.3.0/24")])).toEqual({
      podRange: "10.246.0.0/16",
      serviceRange: "10.98.0.0/16",
    });
  });

  it("say so when there are none", () => {
    expect(() => freeRanges([parseRange("10.0.0.0/8")])).toThrow("no free address range");
  });
});
