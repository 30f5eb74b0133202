import { describe, expect, it } from "vitest";
import { describeJudgement, judge, parseKnownFailures } from "./known-failures.ts";
import type { Result } from "./transcript/against-recorded.ts";

const passing = (name: string): Result => ({ name, compared: 1, differences: [] });
const failing = (name: string): Result => ({
  name,
  compared: 1,
  differences: [{ step: 2, what: "GET /api", path: "/status", expected: 200, got: 404 }],
});
const nothing = { unexpectedFailures: [], unexpectedPasses: [], strangers: [] };

describe("judge", () => {
  it.each([
    { what: "a pass is fine", result: passing("a"), knownFailures: [], judgement: nothing },
    { what: "a known failure is fine", result: failing("a"), knownFailures: ["a"], judgement: nothing },
    {
      what: "a failure that is not known is not",
      result: failing("a"),
      knownFailures: [],
      judgement: { ...nothing, unexpectedFailures: [failing("a")] },
    },
    {
      what: "a known failure that passes is not: the list has to shrink",
      result: passing("a"),
      knownFailures: ["a"],
      judgement: { ...nothing, unexpectedPasses: ["a"] },
    },
    {
      what: "a known failure that is no script is not",
      result: passing("a"),
      knownFailures: ["b"],
      judgement: { ...nothing, strangers: ["b"] },
    },
  ])("$what", ({ result, knownFailures, judgement }) => {
    expect(judge({ results: [result], knownFailures })).toEqual(judgement);
  });

  it("looks at each script by itself", () => {
    const results = [failing("new"), failing("old"), passing("better"), passing("good")];
    expect(judge({ results, knownFailures: ["better", "old"] })).toEqual({
      unexpectedFailures: [failing("new")],
      unexpectedPasses: ["better"],
      strangers: [],
    });
  });
});

describe("describeJudgement", () => {
  it("says what to do about each, and how a failure differs", () => {
    const judgement = {
      unexpectedFailures: [failing("new")],
      unexpectedPasses: ["better"],
      strangers: ["gone"],
    };
    expect(describeJudgement(judgement)).toBe(
      [
        "FAILS  new",
        "step 2, GET /api",
        "  at /status",
        "    expected 200",
        "    got      404",
        "PASSES  better: take it off the list of known failures",
        "UNKNOWN  gone: no script of this name was played; take it off the list",
        "",
      ].join("\n"),
    );
  });

  it("is empty when all is as the list says", () => {
    expect(describeJudgement(nothing)).toBe("");
  });
});

describe("parseKnownFailures", () => {
  it("reads a name a line, without comments and empty lines", () => {
    expect(parseKnownFailures("# ours\n\ncrd/scale # later\nwatch/bookmarks\n")).toEqual([
      "crd/scale",
      "watch/bookmarks",
    ]);
  });

  it.each([
    ["watch/a\ncrd/b\n", "known failures: crd/b comes after watch/a; the names have to be sorted"],
    ["crd/b\ncrd/b\n", "known failures: crd/b is there twice"],
  ])("refuses %j", (text, message) => {
    expect(() => parseKnownFailures(text)).toThrow(message);
  });
});
