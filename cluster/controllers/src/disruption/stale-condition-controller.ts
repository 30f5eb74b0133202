import { clone, findCondition, formatTime, parseTime, type DeepReadonly } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { hasEnded, isTerminating } from "../pods/pod-state.ts";
import { writeStatusAsUpdate } from "../write-status.ts";

/** Whoever was to go and is still there after so long, is not going any more. */
const staleAfterMs = 120_000;

/** Takes back the condition DisruptionTarget of pods that were not deleted after all. */
export function staleConditionController(): Controller {
  return defineController({
    name: "disruption-stale-conditions",
    for: Pod,
    when: (pod) => isTarget(pod),
    reconcile,
  });
}

async function reconcile({
  object: pod,
  client,
  clock,
}: ReconcileContext<Pod>): Promise<ReconcileResult | undefined> {
  if (pod === undefined || !isTarget(pod)) return undefined;
  const now = clock.now();
  const since = targetOf(pod)?.lastTransitionTime;
  const left = (since === undefined ? now : parseTime(since)) + staleAfterMs - now;
  if (left > 0) return { requeueAfter: left };
  await writeStatusAsUpdate(client.of(Pod).status, pod, withoutTarget(pod, now));
  return undefined;
}

/** Whether it is said to be about to go, though it is not. What its node says stays: it may take its time. */
export function isTarget(pod: DeepReadonly<Pod>): boolean {
  const condition = targetOf(pod);
  return (
    condition?.status === "True" &&
    condition.reason !== "TerminationByKubelet" &&
    !isTerminating(pod) &&
    !hasEnded(pod)
  );
}

/** The status with the condition taken back. */
export function withoutTarget(
  { metadata: { generation }, status }: DeepReadonly<Pod>,
  now: number,
): NonNullable<Pod["status"]> {
  const condition = {
    type: "DisruptionTarget",
    status: "False",
    lastTransitionTime: formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const conditions = (status?.conditions ?? []).map((each) =>
    each.type === condition.type ? condition : { ...each },
  );
  return { ...clone(status ?? {}), conditions };
}

function targetOf({ status }: DeepReadonly<Pod>) {
  return findCondition(status?.conditions, "DisruptionTarget");
}
