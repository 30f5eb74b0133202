import { buildCommand } from "@stricli/core";
import { anyClusterFlags, namespaceFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { WhyFlags } from "./run.ts";

/** `kedge why` */
export const whyCommand = buildCommand<WhyFlags, string[], KedgeContext>({
  loader: async () => {
    const { runWhy } = await import("./run.ts");
    return function (flags, ...words) {
      return runWhy(this, flags, words);
    };
  },
  parameters: {
    flags: {
      ...anyClusterFlags,
      namespace: namespaceFlag("Of the object"),
      output: { kind: "enum", values: ["text", "json"], default: "text", brief: "How to print it" },
    },
    aliases: { n: "namespace", o: "output" },
    positional: {
      kind: "array",
      minimum: 1,
      maximum: 2,
      parameter: { parse: String, placeholder: "kind/name", brief: "What to explain, as kubectl names it" },
    },
  },
  docs: {
    brief: "Explain why an object is not ready, or not gone",
    fullDescription: [
      "Follows an object through what it owns, its pods, claims, nodes, events and logs to what holds it up, and",
      "says what shows it and what would help. Exits with 1 when something holds it up.",
      "",
      "EXAMPLES",
      "  kedge why redisinstance/sample",
      "  kedge why pod/web-0 -n shop",
      "  kedge why namespace/shop",
      "  kedge why deploy/web -o json",
    ].join("\n"),
  },
});
