import { buildCommand, buildRouteMap } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";
import type { GenerateFlags } from "./run.ts";

const crdsCommand = buildCommand<GenerateFlags, [], KedgeContext>({
  loader: async () => {
    const { generateCrds } = await import("./run.ts");
    return function (flags) {
      return generateCrds(this, flags);
    };
  },
  parameters: {
    flags: {
      dir: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "folder",
        brief: "Where to write. Default: config/crd/bases of this workspace",
      },
    },
  },
  docs: {
    brief: "Write the CustomResourceDefinitions of the operators' kinds",
    fullDescription: [
      "Writes one YAML file for each kind, from its definition in TypeScript, and says which files changed.",
      "",
      "EXAMPLES",
      "  kedge generate crds",
      "  kedge generate crds --dir /tmp/crds",
    ].join("\n"),
  },
});

/** `kedge generate …` */
export const generateRoutes = buildRouteMap({
  routes: { crds: crdsCommand },
  docs: { brief: "Write files from the definitions of the kinds" },
});
