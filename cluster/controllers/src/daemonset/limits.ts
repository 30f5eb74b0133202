import { resolveIntOrPercent, type DeepReadonly } from "@kedge/machinery";
import type { DaemonSet } from "@kedge/machinery/kinds/apps/v1";

/** How far an update may go at once. */
export interface UpdateLimits {
  /** How many nodes may have a second pod. */
  readonly surge: number;
  /** How many nodes may be without an available pod. */
  readonly unavailable: number;
  /** Whether nodes may have a second pod at all. */
  readonly isSurging: boolean;
}

/** The limits of a set for so many nodes. */
export function limitsOf({ spec }: DeepReadonly<DaemonSet>, nodes: number): UpdateLimits {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (type !== "RollingUpdate") return { surge: 0, unavailable: 0, isSurging: false };
  const surge = resolveIntOrPercent(rollingUpdate?.maxSurge ?? 0, nodes, "up");
  const unavailable = resolveIntOrPercent(rollingUpdate?.maxUnavailable ?? 1, nodes, "up");
  const isStuck = nodes > 0 && surge === 0 && unavailable === 0;
  return { surge, unavailable: isStuck ? 1 : unavailable, isSurging: surge > 0 };
}
