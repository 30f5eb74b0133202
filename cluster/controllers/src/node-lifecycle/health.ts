import { findCondition, formatTime, parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Lease } from "@kedge/machinery/kinds/coordination/v1";
import type { Node, NodeCondition } from "@kedge/machinery/kinds/core/v1";
import type { NodeLifecycleOptions } from "./options.ts";

/**
 * What is remembered of a node between two looks. Times are those of our own clock: whether a node is silent is told by
 * what changes, not by what its clock says.
 */
export interface NodeHealth {
  /** When it was last heard of. */
  readonly heardAt: number;
  /** The heartbeat in its condition Ready, as it was seen; undefined while it has no such condition. */
  readonly heartbeat: string | undefined;
  /** When its lease was renewed, by the lease. */
  readonly renewedAt: number | undefined;
}

/** One look at a node. */
export interface HealthFacts {
  readonly node: DeepReadonly<Node>;
  readonly lease: DeepReadonly<Lease> | undefined;
  /** Undefined when it is seen for the first time. */
  readonly before: NodeHealth | undefined;
  readonly now: number;
}

/** What a look has found. */
export interface HealthVerdict {
  readonly health: NodeHealth;
  /** What the node's status says of Ready: `True`, `False`, or `Unknown`, also when it says nothing. */
  readonly observed: string;
  /** What it says when `conditions` are written; undefined while a new node may still be starting. */
  readonly ready: string | undefined;
  /** Its conditions, to be written because it is silent. Undefined: they are as they should be. */
  readonly conditions: readonly NodeCondition[] | undefined;
}

/** Whether a node is heard of, by its status or by its lease; when it is not, its conditions become Unknown. */
export function judgeHealth(
  { node, lease, before, now }: HealthFacts,
  options: Pick<NodeLifecycleOptions, "monitorGracePeriod" | "startupGracePeriod">,
): HealthVerdict {
  const ready = readyOf(node.status?.conditions);
  const renewedAt = lease?.spec?.renewTime === undefined ? undefined : parseTime(lease.spec.renewTime);
  const isRenewed = renewedAt !== undefined && renewedAt > (before?.renewedAt ?? -Infinity);
  const health: NodeHealth = {
    heardAt: isRenewed ? now : lastHeard(node, before, now),
    heartbeat: heartbeatOf(ready),
    renewedAt: isRenewed ? renewedAt : before?.renewedAt,
  };
  const observed = ready?.status ?? "Unknown";
  const grace = ready === undefined ? options.startupGracePeriod : options.monitorGracePeriod;
  const isSilent = now > health.heardAt + grace;
  if (!isSilent || ready?.status === "Unknown") {
    return { health, observed, ready: ready?.status, conditions: undefined };
  }
  const conditions = silentConditions(node, now);
  return {
    health: { ...health, heartbeat: heartbeatOf(readyOf(conditions)) },
    observed,
    ready: "Unknown",
    conditions,
  };
}

/** The status of a node's condition Ready; undefined when it has none. */
export function readyStatus(node: DeepReadonly<Node>): string | undefined {
  return readyOf(node.status?.conditions)?.status;
}

function readyOf(
  conditions: readonly DeepReadonly<NodeCondition>[] | undefined,
): DeepReadonly<NodeCondition> | undefined {
  return findCondition(conditions, "Ready");
}

/** Never undefined of a condition that is there: that it is there is what was heard. */
function heartbeatOf(ready: DeepReadonly<NodeCondition> | undefined): string | undefined {
  return ready === undefined ? undefined : (ready.lastHeartbeatTime ?? "");
}

/** By the status alone. A condition that came, went or has a new heartbeat is a sign of life. */
function lastHeard(node: DeepReadonly<Node>, before: NodeHealth | undefined, now: number): number {
  const heartbeat = heartbeatOf(readyOf(node.status?.conditions));
  if (before !== undefined) return heartbeat === before.heartbeat ? before.heardAt : now;
  return heartbeat === undefined ? parseTime(node.metadata.creationTimestamp) : now;
}

/** What the node itself would tell. Whether the network is there is told by the control plane. */
const told = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

function silentConditions(node: DeepReadonly<Node>, now: number): readonly NodeCondition[] {
  const conditions = node.status?.conditions ?? [];
  const lastTransitionTime = formatTime(now);
  const known = conditions.map((condition) =>
    told.includes(condition.type) && condition.status !== "Unknown"
      ? {
          ...condition,
          status: "Unknown",
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
          lastTransitionTime,
        }
      : { ...condition },
  );
  const missing = told
    .filter((type) => findCondition(conditions, type) === undefined)
    .map((type) => ({
      type,
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime,
    }));
  return [...known, ...missing];
}
