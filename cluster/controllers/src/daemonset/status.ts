import type { DaemonSetStatus } from "@kedge/machinery/kinds/apps/v1";
import { isAvailable, isReady, untilNextAvailable } from "../pods/pod-state.ts";
import { fitOf, oldestFirst } from "./nodes.ts";
import { isUpdated, podsByNode, type DaemonSetView } from "./plan.ts";

/** What is to be said of a daemon set, and when it changes by the passing of time alone. */
export interface DaemonSetReport {
  readonly status: DaemonSetStatus;
  readonly lookAgainAfter: number | undefined;
}

/** Counts nodes: of several pods on a node the oldest counts. */
export function reportDaemonSet(view: DaemonSetView): DaemonSetReport {
  const { set, nodes, pods, now } = view;
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  const byNode = podsByNode(pods);
  const firstOn = (name: string) => oldestFirst(byNode.get(name) ?? [])[0];
  const names = nodes.map((node) => ({ name: node.metadata.name, isWanted: fitOf(set, node).shouldRun }));
  const wanted = names.filter(({ isWanted }) => isWanted);
  const firsts = wanted.flatMap(({ name }) => firstOn(name) ?? []);
  const available = firsts.filter((pod) => isReady(pod) && isAvailable(pod, minReadySeconds, now)).length;
  const updated = firsts.filter((pod) => isUpdated(view, pod)).length;
  const unavailable = wanted.length - available;
  const { collisionCount, conditions } = set.status ?? {};
  return {
    status: {
      currentNumberScheduled: firsts.length,
      numberMisscheduled: names.filter(({ name, isWanted }) => !isWanted && firstOn(name) !== undefined)
        .length,
      desiredNumberScheduled: wanted.length,
      numberReady: firsts.filter(isReady).length,
      ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
      ...(updated > 0 && { updatedNumberScheduled: updated }),
      ...(available > 0 && { numberAvailable: available }),
      ...(unavailable > 0 && { numberUnavailable: unavailable }),
      ...(collisionCount !== undefined && { collisionCount }),
      ...(conditions !== undefined && { conditions: conditions.map((condition) => ({ ...condition })) }),
    },
    lookAgainAfter: untilNextAvailable(firsts, minReadySeconds, now),
  };
}
