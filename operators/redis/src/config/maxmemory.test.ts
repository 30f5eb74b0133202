import { expect, it } from "vitest";
import { checkMaxmemory, derivedMaxmemory, outgrows } from "./maxmemory.ts";

it.each([
  ["900mb", undefined],
  ["900mb", "1Gi"],
  ["900MB", "1Gi"],
  ['"900mb"', "1Gi"],
  // A thousand thousands, not 1024 times 1024.
  ["67m", "64Mi"],
  ["67108863", "64Mi"],
  ["67108863b", "64Mi"],
  // No limit of its own: evicting is not asked for.
  ["0", "64Mi"],
  ["1gb", "2e9"],
])("maxmemory %s fits under %s", (value, limit) => {
  expect(checkMaxmemory(value, limit)).toBeUndefined();
  expect(outgrows(`bind 0.0.0.0\nmaxmemory ${value}\nmaxmemory-policy noeviction\n`, limit)).toBe(false);
});

it.each([
  ["900mb", "64Mi", "the kernel would kill"],
  ["64mb", "64Mi", "the kernel would kill"],
  ["68m", "64Mi", "the kernel would kill"],
  ["1g", "1000m", "the kernel would kill"],
  ["much", undefined, "must be an amount"],
  ["-1", "64Mi", "must be an amount"],
  ["50%", "64Mi", "must be an amount"],
  ["1tb", "64Mi", "must be an amount"],
])("maxmemory %s does not under %s", (value, limit, why) => {
  expect(checkMaxmemory(value, limit)).toContain(why);
  expect(outgrows(`maxmemory ${value}\n`, limit)).toBe(true);
});

it("a config that does not say it outgrows nothing", () => {
  expect(outgrows("bind 0.0.0.0\nmaxmemory-policy noeviction\n", "1Mi")).toBe(false);
});

it.each([
  ["1Gi", "805306368"],
  ["512M", "384000000"],
  ["100000000", "75000000"],
  ["22Mi", "17301504"],
  ["16Mi", undefined],
  ["0", undefined],
])("of a limit of %s, %s bytes are for data", (limit, bytes) => {
  expect(derivedMaxmemory(limit)).toBe(bytes);
});
