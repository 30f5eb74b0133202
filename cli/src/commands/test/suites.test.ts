import { expect, it } from "vitest";
import { parseSuite, suitesToRun } from "./suites.ts";

it("reads the name of a suite", () => {
  expect(parseSuite("unit")).toBe("unit");
});

it("names the suites when there is no such one", () => {
  expect(() => parseSuite("unti")).toThrow(
    "there is no suite `unti`: it is one of unit, check, e2e, real, sim, long",
  );
});

it.each([
  ["everything, the quick ones first", undefined, undefined, ["unit", "check", "e2e"]],
  ["one suite", "unit", undefined, ["unit"]],
  ["what takes minutes only when it is asked for", "real", undefined, ["real"]],
  ["what kills operators everywhere only when it is asked for", "sim", undefined, ["sim"]],
  ["what takes many minutes only when it is asked for", "long", undefined, ["long"]],
  ["no checks when test files are chosen", undefined, "quantity", ["unit", "e2e"]],
  ["one suite of the chosen files", "e2e", "quantity", ["e2e"]],
] as const)("runs %s", (_what, only, filter, expected) => {
  expect(suitesToRun(only, filter)).toEqual(expected);
});
