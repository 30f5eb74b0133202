import type { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import type { Node, Pod, Taint } from "@kedge/machinery/kinds/core/v1";
import { hashLabel } from "../daemonset/new-pod.ts";
import type { DaemonSetView } from "../daemonset/plan.ts";
import { now, pod, stored, type PodSetup } from "./builders.ts";

/** The daemon set `agent`. */
export function daemonSet(spec: Partial<DaemonSet["spec"]> = {}, podSpec: object = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: stored("agent", { generation: 2 }),
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { containers: [{ name: "main", image: "main:1" }], ...podSpec },
      },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 2,
      ...spec,
    },
  };
}

/** A node. */
export function node(name: string, taints: readonly Taint[] = [], labels: Record<string, string> = {}): Node {
  const { namespace: _, ...metadata } = stored(name, { labels });
  return { apiVersion: "v1", kind: "Node", metadata, spec: { taints: [...taints] } };
}

/** A pod on a node: of the spec's template unless it is called `old`. */
export const onNode = (name: string, place: string, setup: PodSetup = {}): Pod =>
  pod(name, { node: place, labels: { [hashLabel]: name.startsWith("old") ? "before" : "hash" }, ...setup });

/** What a set is planned from; the hash of its template is `hash`. */
export const view = (
  of: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  pause = 0,
): DaemonSetView => ({
  set: of,
  nodes,
  pods,
  hash: "hash",
  pauseOn: () => pause,
  now,
});

/** What is made and deleted, in a line. */
export const told = ({
  create,
  delete: gone,
}: {
  create: readonly string[];
  delete: readonly { metadata: { name: string } }[];
}) => `+[${create.join(" ")}] -[${gone.map(({ metadata }) => metadata.name).join(" ")}]`;

/** Three nodes that are alike. */
export const three = [node("a"), node("b"), node("c")];
/** Ready for a minute. */
export const ready = { readyFor: 60 };
/** A taint that nobody tolerates. */
export const taint = (effect: string): Taint => ({ key: "own", value: "x", effect });
