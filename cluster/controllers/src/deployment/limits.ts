import { resolveIntOrPercent, type DeepReadonly } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";

/** How many pods there may be, and how many there must be. */
export interface Limits {
  readonly wanted: number;
  readonly most: number;
  readonly least: number;
}

/** The spec's limits while pods are replaced. */
export function limitsOf(deployment: DeepReadonly<Deployment>): Limits {
  const wanted = deployment.spec.replicas ?? 1;
  if (isRecreate(deployment)) return { wanted, most: wanted, least: wanted };
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = resolveIntOrPercent(maxSurge ?? "25%", wanted, "up");
  const unavailable = resolveIntOrPercent(maxUnavailable ?? "25%", wanted, "down");
  // Neither more nor fewer would mean that nothing could ever be replaced.
  const missing = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { wanted, most: wanted + surge, least: wanted - Math.min(missing, wanted) };
}

/** Whether all old pods go before the first new one comes. */
export function isRecreate({ spec }: DeepReadonly<Deployment>): boolean {
  return spec.strategy?.type === "Recreate";
}
