import { buildCommand } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";
import type { VersionFlags } from "./run.ts";

/** `kedge version` */
export const versionCommand = buildCommand<VersionFlags, [], KedgeContext>({
  loader: async () => {
    const { printVersion } = await import("./run.ts");
    return function (flags) {
      printVersion(this, flags);
    };
  },
  parameters: {
    flags: {
      output: { kind: "enum", values: ["text", "json"], default: "text", brief: "How to print it" },
    },
    aliases: { o: "output" },
  },
  docs: {
    brief: "Print the version of Kedge and of what it runs on",
    fullDescription: [
      "Prints the version of Kedge and of what it runs on.",
      "",
      "EXAMPLES",
      "  kedge version",
      "  kedge version -o json",
    ].join("\n"),
  },
});
