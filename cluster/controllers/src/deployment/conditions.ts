import { formatTime } from "@kedge/machinery";
import type { DeploymentCondition } from "@kedge/machinery/kinds/apps/v1";

/** A condition without its times. */
export interface NewCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The condition of a type. */
export function findDeploymentCondition(
  conditions: readonly DeploymentCondition[],
  type: string,
): DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** With this condition; nothing changes while status and reason stay the same. */
export function putCondition(
  conditions: readonly DeploymentCondition[],
  next: NewCondition,
  now: number,
): readonly DeploymentCondition[] {
  const before = findDeploymentCondition(conditions, next.type);
  if (before?.status === next.status && before.reason === next.reason) return conditions;
  return renewCondition(conditions, next, now);
}

/** With this condition, told anew: the time of its transition stays while its status does. */
export function renewCondition(
  conditions: readonly DeploymentCondition[],
  next: NewCondition,
  now: number,
): readonly DeploymentCondition[] {
  const before = findDeploymentCondition(conditions, next.type);
  const time = formatTime(now);
  const since = before?.status === next.status ? (before.lastTransitionTime ?? time) : time;
  const others = conditions.filter(({ type }) => type !== next.type);
  return [...others, { ...next, lastUpdateTime: time, lastTransitionTime: since }];
}
