import { Node } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get nodes`. */
export const nodePrinter = printerOf(
  Node,
  [
    nameColumn,
    column("Status", "Whether the node is ready, and whether it takes pods."),
    column("Roles", "What the node is for, by its labels."),
    ageColumn,
    column("Version", "Version of the node's agent."),
    column("Internal-IP", "Address of the node within the cluster.", { wide: true }),
    column("External-IP", "Address of the node from outside.", { wide: true }),
    column("OS-Image", "Operating system of the node.", { wide: true }),
    column("Kernel-Version", "Kernel of the node.", { wide: true }),
    column("Container-Runtime", "What runs the node's containers.", { wide: true }),
  ],
  (node, now) => {
    const info = node.status?.nodeInfo;
    const architecture = info?.architecture ?? "";
    return [
      node.metadata?.name,
      statusOf(node),
      rolesOf(node),
      age(node.metadata?.creationTimestamp, now),
      info?.kubeletVersion ?? "",
      addressOf(node, "InternalIP"),
      addressOf(node, "ExternalIP"),
      orUnknown(info?.osImage),
      orUnknown(info?.kernelVersion) + (architecture === "" ? "" : ` (${architecture})`),
      orUnknown(info?.containerRuntimeVersion),
    ];
  },
);

type SentNode = Decoded<Node>;

function statusOf({ spec, status }: SentNode): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function rolesOf({ metadata }: SentNode): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(metadata?.labels ?? {}).map(([key, value]) =>
    key.startsWith(prefix) ? key.slice(prefix.length) : key === "kubernetes.io/role" ? (value ?? "") : "",
  );
  const named = new Set(roles.filter((role) => role !== ""));
  return named.size === 0 ? "<none>" : [...named].toSorted().join(",");
}

function addressOf({ status }: SentNode, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? "<none>";
}

function orUnknown(text: string | undefined): string {
  return text === undefined || text === "" ? "<unknown>" : text;
}
