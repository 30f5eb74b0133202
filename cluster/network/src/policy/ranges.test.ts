import { finish } from "@kedge/machinery";
import { expect, it } from "vitest";
import { mergeRanges, rangesOfBlock, rangeText, withoutRanges, type Range } from "./ranges.ts";

it.each<[string, readonly Range[], readonly Range[]]>([
  [
    "those that touch or overlap are one",
    [
      [5, 9],
      [1, 4],
      [8, 12],
    ],
    [[1, 12]],
  ],
  [
    "one inside of another is no more",
    [
      [1, 20],
      [5, 6],
    ],
    [[1, 20]],
  ],
  [
    "a gap stays",
    [
      [4, 4],
      [1, 2],
    ],
    [
      [1, 2],
      [4, 4],
    ],
  ],
])("of merged ranges, %s", (_name, ranges, merged) => {
  expect(mergeRanges(ranges)).toEqual(merged);
});

it.each<[string, readonly Range[], readonly Range[]]>([
  ["nothing", [], [[10, 20]]],
  [
    "its beginning and its end",
    [
      [0, 12],
      [19, 30],
    ],
    [[13, 18]],
  ],
  [
    "what is outside of it",
    [
      [0, 9],
      [21, 30],
    ],
    [[10, 20]],
  ],
  [
    "holes that overlap",
    [
      [12, 14],
      [13, 16],
    ],
    [
      [10, 11],
      [17, 20],
    ],
  ],
  [
    "all of it",
    [
      [10, 15],
      [16, 20],
    ],
    [],
  ],
])("a range is left without %s", (_name, others, left) => {
  expect(withoutRanges([10, 20], others)).toEqual(left);
});

it.each([
  ["10.0.0.0/8", [], ["10.0.0.0-10.255.255.255"]],
  ["0.0.0.0/0", ["10.0.0.0/8"], ["0.0.0.0-9.255.255.255", "11.0.0.0-255.255.255.255"]],
  ["192.0.2.4/32", [], ["192.0.2.4"]],
  ["10.0.0.7/30", ["fd00::/8", "10.0.0.6/32"], ["10.0.0.4-10.0.0.5", "10.0.0.7"]],
  ["010.000.0.0/16", [], ["10.0.0.0-10.0.255.255"]],
  ["fd00::/8", [], []],
])("the addresses of %s without %j", (cidr, except, texts) => {
  expect(finish(rangesOfBlock({ cidr, except })).map(rangeText)).toEqual(texts);
});
