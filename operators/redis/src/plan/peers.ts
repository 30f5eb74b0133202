import { isConditionTrue } from "@kedge/machinery";
import type { Observed } from "../observe.ts";
import type { Peers } from "../specs/peers.ts";
import type { ConfigPlan } from "./config.ts";
import { isVolatile } from "../config/persistence.ts";
import { ordinalOf } from "./storage.ts";

/** What servers are told of their peers. */
export function planPeers(observed: Observed, config: Pick<ConfigPlan, "text" | "replicas">): Peers {
  return {
    replicas: peersOfPrimary(observed, config),
    wanted: config.replicas,
    initialized: isInitialized(observed),
  };
}

/**
 * Also a pod that was scaled away counts while its volume is there: scaled back, it would throw its data away to follow a
 * primary that has begun without any. A server that writes nothing to its volume begins so every time.
 */
function peersOfPrimary(
  { claims }: Observed,
  { text, replicas }: Pick<ConfigPlan, "text" | "replicas">,
): number {
  if (text !== undefined && isVolatile(text)) return replicas;
  const kept = claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return Math.max(replicas, ...kept.map((claim) => ordinalOf(claim) + 1));
}

/**
 * Whether there may be data: once a pod was ready, or when there were volumes or servers before us. For good, also when
 * the ConfigMap that says so was deleted: it is always made before the StatefulSet.
 */
export function isInitialized({ peers, pods, claims, statefulSet }: Observed): boolean {
  return (
    peers?.data?.["initialized"] === "true" ||
    pods.some(({ status }) => isConditionTrue(status?.conditions, "Ready")) ||
    (peers === undefined && statefulSet !== undefined) ||
    (statefulSet === undefined && claims.length > 0)
  );
}
