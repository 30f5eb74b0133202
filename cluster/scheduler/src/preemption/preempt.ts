import { formatTime, isNotFound, withTypeMeta, type Clock } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ControllerHost, EventRecorder } from "@kedge/runtime";
import type { PodInfo } from "../view/pod-info.ts";

/** What it takes to make pods leave. */
export interface Preemption {
  readonly client: ControllerHost["client"];
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** In whose name. */
  readonly reporter: string;
}

/** Makes pods leave a node for another: each is told why, and ends with its grace period. */
export async function preempt(
  preemption: Preemption,
  { node, victims }: { readonly node: string; readonly victims: readonly PodInfo[] },
  preemptor: PodInfo,
): Promise<void> {
  // Those that leave already need not be told.
  const told = victims.filter(({ isTerminating }) => !isTerminating);
  const results = await Promise.allSettled(
    told.map((victim) => preemptOne(preemption, { node, victim }, preemptor)),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

async function preemptOne(
  { client, clock, events, reporter }: Preemption,
  { node, victim }: { readonly node: string; readonly victim: PodInfo },
  preemptor: PodInfo,
): Promise<void> {
  const { metadata } = victim.pod;
  const { namespace, name, uid, generation } = metadata;
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "PreemptionByScheduler",
    message: `${preemptor.pod.spec.schedulerName ?? reporter}: preempting to accommodate a higher priority pod`,
    observedGeneration: generation,
    lastTransitionTime: formatTime(clock.now()),
  };
  try {
    const status = { conditions: [condition] };
    await client.of(Pod).status.patch({ namespace, name }, { strategic: { metadata: { uid }, status } });
    await client.of(Pod).delete({ namespace, name }, { preconditions: { uid } });
  } catch (error) {
    // It has left already.
    if (isNotFound(error)) return;
    throw error;
  }
  events.record(withTypeMeta(Pod, victim.pod), {
    reason: "Preempted",
    action: "Preempting",
    message: `Preempted by pod ${preemptor.uid} on node ${node}`,
    reporter,
  });
}
