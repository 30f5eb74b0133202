import { buildCommand } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";
import type { TestFlags } from "./run.ts";
import { parseSuite, type Suite } from "./suites.ts";

/** `kedge test [suite]` */
export const testCommand = buildCommand<TestFlags, [suite?: Suite], KedgeContext>({
  loader: async () => {
    const { runTests } = await import("./run.ts");
    return function (flags, suite) {
      return runTests(this, flags, suite);
    };
  },
  parameters: {
    flags: {
      filter: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "text",
        brief: "Only test files with this text in their path",
      },
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          optional: true,
          parse: parseSuite,
          placeholder: "suite",
          brief: "Only check, unit, e2e, real, sim or long",
        },
      ],
    },
  },
  docs: {
    brief: "Run the checks and tests that this machine can run",
    fullDescription: [
      "Runs every suite that this machine can run, and says what it skipped and why:",
      "  check   formatting, lint and types",
      "  unit    tests beside the code",
      "  e2e     whole-system tests of e2e/",
      "  real    tests against a real Kubernetes control plane, only when named; needs Go to build it once",
      "  sim     operators killed before, at and after each of their writes, only when named",
      "  long    tests that take many minutes, only when named",
      "",
      "EXAMPLES",
      "  kedge test",
      "  kedge test unit",
      "  kedge test unit --filter quantity",
      "  kedge test real",
    ].join("\n"),
  },
});
