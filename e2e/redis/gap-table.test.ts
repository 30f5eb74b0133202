import { expect, it } from "vitest";
import { gapTable } from "./gap-table.ts";

const figures = (gapMs: number, lost = 0) => ({
  gapMs,
  struckAt: 0,
  acknowledged: 1000,
  lost: Array.from({ length: lost }, (_, number) => ({ number, at: 0, runId: "", isConfirmed: false })),
  late: 0,
  lateToStubborn: 0,
  servers: [],
  wholeMs: 5000,
  refusals: {},
});

it("prints medians, the extremes, what was lost, and the ratio to Sentinel", () => {
  const rows = [
    { fault: "kill -9", subject: "kedge", figures: [300, 500, 400].map((gap) => figures(gap)), problems: [] },
    { fault: "kill -9", subject: "Sentinel", figures: [figures(2000), figures(1800, 7)], problems: [] },
    { fault: "node killed", subject: "kedge", figures: [], problems: ["no"] },
  ];
  expect(gapTable(rows)).toBe(
    [
      "fault        subject          times  gap ms: median  least  most  lost  late  of Sentinel's",
      "kill -9      kedge                3             400    300   500     0     0          0.21×",
      "kill -9      Sentinel             2            1900   1800  2000     7     0",
      "node killed  kedge     0 (1 failed)               –      –     –     0     0              –",
      "",
    ].join("\n"),
  );
});
