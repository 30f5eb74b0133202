import { buildCommand } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";

/** `kedge bench [name]` */
export const benchCommand = buildCommand({
  loader: async () => {
    const { runBenchmarks } = await import("./run.ts");
    return function (this: KedgeContext, _flags: object, name?: string) {
      return runBenchmarks(this, name);
    };
  },
  parameters: {
    positional: {
      kind: "tuple",
      parameters: [{ optional: true, parse: String, placeholder: "name", brief: "Only this measurement" }],
    },
  },
  docs: {
    brief: "Measure Kedge against its peers",
    fullDescription: [
      "Measures Kedge against its peers on this machine: each folder of bench/ is one measurement.",
      "",
      "EXAMPLES",
      "  kedge bench          all of them, one after the other",
      "  kedge bench client   the one in bench/client",
    ].join("\n"),
  },
});
