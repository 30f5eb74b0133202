import { hostPortsClash } from "../view/host-ports.ts";
import { obstacle, type Filter } from "./types.ts";

const taken = obstacle(
  "NodePorts",
  "node(s) didn't have free ports for the requested pod ports",
  "by others",
);

/** Nodes on which another pod has a port of the machine that the pod wants. */
export const nodePorts: Filter = {
  name: "NodePorts",
  prepare({ info: { ports } }) {
    if (ports.length === 0) return undefined;
    return { check: (node) => (hostPortsClash(ports, node.ports) ? taken : undefined) };
  },
  events: ["node-added", "pod-removed"],
  mayHelp: (event, { ports }) =>
    event.type === "node-added" || (event.type === "pod-removed" && hostPortsClash(ports, event.pod.ports)),
};
