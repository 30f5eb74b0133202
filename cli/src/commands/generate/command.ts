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

const rbacCommand = buildCommand<GenerateFlags, [], KedgeContext>({
  loader: async () => {
    const { generateRbac } = await import("./rbac.ts");
    return function (flags) {
      return generateRbac(this, flags);
    };
  },
  parameters: {
    flags: {
      dir: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "folder",
        brief: "Where to write. Default: config/rbac of this workspace",
      },
    },
  },
  docs: {
    brief: "Write the service account of the operators, and roles with the rights that they need",
    fullDescription: [
      "Writes who the operators are, and what they may do: what follows from the kinds that they watch and own, and what",
      "they name themselves. For a cluster in which they run as that service account:",
      "  kubectl create namespace operator-system",
      "  kubectl apply -f config/crd/bases/ -f config/rbac/",
      "",
      "EXAMPLES",
      "  kedge generate rbac",
      "  kedge generate rbac --dir /tmp/rbac",
    ].join("\n"),
  },
});

/** `kedge generate …` */
export const generateRoutes = buildRouteMap({
  routes: { crds: crdsCommand, rbac: rbacCommand },
  docs: { brief: "Write files from the definitions of the operators" },
});
