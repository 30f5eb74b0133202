import { buildCommand, buildRouteMap } from "@stricli/core";
import { dirFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { StartNodeFlags } from "./start-node.ts";
import type { StopNodeFlags } from "./stop-node.ts";

const positional = {
  kind: "tuple",
  parameters: [{ parse: String, placeholder: "name", brief: "The node, as `kubectl get nodes` names it" }],
} as const;

const stopCommand = buildCommand<StopNodeFlags, [name: string], KedgeContext>({
  loader: async () => {
    const { runStopNode } = await import("./stop-node.ts");
    return function (flags, name) {
      return runStopNode(this, flags, name);
    };
  },
  parameters: {
    flags: {
      dir: dirFlag,
      now: {
        kind: "boolean",
        default: false,
        brief: "As if its power were cut: nothing on it gets time to end, nobody is told",
      },
    },
    positional,
  },
  docs: {
    brief: "Stop a node of the cluster that runs",
    fullDescription: [
      "Stops one node, as if that machine were shut down: its agent, its containers and its network. The cluster goes on,",
      "and finds the node not ready after a while, as Kubernetes does. Its data stays.",
      "",
      "EXAMPLES",
      "  kedge node stop kedge-2",
      "  kedge node stop kedge-2 --now",
    ].join("\n"),
  },
});

const startCommand = buildCommand<StartNodeFlags, [name: string], KedgeContext>({
  loader: async () => {
    const { runStartNode } = await import("./start-node.ts");
    return function (flags, name) {
      return runStartNode(this, flags, name);
    };
  },
  parameters: { flags: { dir: dirFlag }, positional },
  docs: {
    brief: "Start a node again that was stopped",
    fullDescription: [
      "Starts a node that `kedge node stop` has stopped, and returns when it is ready.",
      "",
      "EXAMPLE",
      "  kedge node start kedge-2",
    ].join("\n"),
  },
});

/** `kedge node …` */
export const nodeRoutes = buildRouteMap({
  routes: { stop: stopCommand, start: startCommand },
  docs: { brief: "Stop and start single nodes of the cluster" },
});
