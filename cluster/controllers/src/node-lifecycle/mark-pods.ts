import type { Client } from "@kedge/client";
import {
  findCondition,
  formatTime,
  isNotFound,
  isConflict,
  withTypeMeta,
  type Clock,
  type DeepReadonly,
} from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { EventRecorder } from "@kedge/runtime";

/** What marking pods takes. */
export interface MarkPodsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Says of pods whose node is not ready that they are not ready either: services must not lead to them. */
export async function markPodsNotReady(
  { client, clock, events }: MarkPodsOptions,
  pods: readonly DeepReadonly<Pod>[],
): Promise<void> {
  for (const pod of pods) {
    const { namespace, name, uid } = pod.metadata;
    const ready = findCondition(pod.status?.conditions, "Ready");
    if (ready === undefined || ready.status === "False") continue;
    const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
    try {
      await client
        .of(Pod)
        .status.patch(
          { namespace, name },
          { strategic: { metadata: { uid }, status: { conditions: [condition] } } },
        );
    } catch (error) {
      // It is gone, or another one has its name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
      continue;
    }
    const note = { type: "Warning", reason: "NodeNotReady", message: "Node is not ready", reporter } as const;
    events.record(withTypeMeta(Pod, pod), note);
  }
}

/** Who says what this controller says. */
export const reporter = "node-controller";
