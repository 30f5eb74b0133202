import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { humanDuration } from "../../tables/human-duration.ts";
import { printerOf } from "../../tables/printer.ts";
import { podSummary } from "./printed-status.ts";

/** `kubectl get pods`. */
export const podPrinter = printerOf(
  Pod,
  [
    nameColumn,
    column("Ready", "How many of the pod's containers are ready."),
    column("Status", "What the pod's containers are doing, in one word."),
    column("Restarts", "How often containers were restarted, and when the last time was."),
    ageColumn,
    column("IP", "Address of the pod, once it has one.", { wide: true }),
    column("Node", "Node that the pod runs on.", { wide: true }),
    column("Nominated Node", "Node that makes room for the pod.", { wide: true }),
    column("Readiness Gates", "How many of the pod's readiness gates are open.", { wide: true }),
  ],
  (pod, now) => {
    const { reason, ready, total, restarts, lastRestart } = podSummary(pod);
    return [
      pod.metadata?.name,
      `${ready}/${total}`,
      reason,
      restarts > 0 && lastRestart !== undefined
        ? `${restarts} (${humanDuration(now - lastRestart)} ago)`
        : String(restarts),
      age(pod.metadata?.creationTimestamp, now),
      orNone(pod.status?.podIPs?.[0]?.ip),
      orNone(pod.spec?.nodeName),
      orNone(pod.status?.nominatedNodeName),
      readinessGates(pod),
    ];
  },
);

function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? "<none>" : text;
}

function readinessGates({ spec, status }: Decoded<Pod>): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === "True",
  );
  return `${open.length}/${gates.length}`;
}
