import { buildCommand } from "@stricli/core";
import { dirFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { StatusFlags } from "./run.ts";

/** `kedge status` */
export const statusCommand = buildCommand<StatusFlags, [], KedgeContext>({
  loader: async () => {
    const { runStatus } = await import("./run.ts");
    return function (flags) {
      return runStatus(this, flags);
    };
  },
  parameters: {
    flags: {
      dir: dirFlag,
      output: { kind: "enum", values: ["text", "json"], default: "text", brief: "How to print it" },
    },
    aliases: { o: "output" },
  },
  docs: {
    brief: "Show what runs of the cluster on this machine",
    fullDescription: [
      "Shows the processes of the embedded cluster, whether the API server and the nodes are ready, and what the",
      "operators look after. Exits with 1 when it does not run or is not ready.",
      "",
      "EXAMPLES",
      "  kedge status",
      "  kedge status -o json",
    ].join("\n"),
  },
});
