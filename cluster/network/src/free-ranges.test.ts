import { describe, expect, it } from "vitest";
import { parseRange } from "./address.ts";
import { freeRanges, takenBy } from "./free-ranges.ts";

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

it("names the interface that is in a cluster's ranges", () => {
  const at = (address: string, bits: number) => [
    {
      address,
      cidr: `${address}/${bits}`,
      family: "IPv4" as const,
      netmask: "",
      mac: "",
      internal: false,
    },
  ];
  const ranges = { podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" };
  expect(takenBy(ranges, { eth0: at("192.0.2.2", 24), bridge: at("10.245.0.1", 32) })).toBeUndefined();
  expect(takenBy(ranges, { bridge: at("10.244.0.1", 32) })).toEqual({
    name: "bridge",
    range: "10.244.0.0/16",
  });
  expect(takenBy(ranges, { vpn: at("10.1.2.3", 8) })).toEqual({ name: "vpn", range: "10.244.0.0/16" });
});
