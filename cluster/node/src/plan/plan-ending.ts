import { initContainersOf, isSidecar } from "../model/spec-of.ts";
import type { Ending, Instance, ObservedPod, PodAction, PodPlan } from "../model/types.ts";

/**
 * The way out: nothing is started any more, containers stop (sidecars after the others, in reverse order), then
 * volumes and network go, then the object, and last what was kept for `kubectl logs`.
 */
export function planEnding(observed: ObservedPod, ending: Ending): PodPlan {
  return { actions: [...endingActions(observed, ending)], waiting: new Map(), wakeAt: undefined };
}

function* endingActions(observed: ObservedPod, ending: Ending): Generator<PodAction, void, undefined> {
  for (const [name, what] of observed.busy) if (what === "starting") yield { type: "cancel-start", name };
  if ([...observed.busy.values()].includes("starting")) return;
  const running = observed.instances.filter(({ state }) => state === "running");
  if (running.length > 0) {
    for (const instance of nextToStop(observed, running)) {
      yield {
        type: "stop",
        instance,
        graceSeconds: ending.graceSeconds,
        message: `Stopping container ${instance.name}`,
      };
    }
    return;
  }
  for (const instance of observed.instances) {
    if (instance.state === "created") yield { type: "remove", instance };
  }
  if (observed.sandbox.state !== "absent") {
    if (observed.sandbox.state !== "clearing") yield { type: "clear" };
    return;
  }
  if (ending.why === "deleted" && !waitsForFinalizers(observed)) yield { type: "delete" };
  if (ending.why !== "gone") return;
  for (const instance of observed.instances) yield { type: "remove", instance };
  if (observed.instances.length === 0) yield { type: "forget" };
}

/** Our part is done: the server takes it out when the last finalizer goes. */
function waitsForFinalizers({ pod: { metadata } }: ObservedPod): boolean {
  return metadata.deletionGracePeriodSeconds === 0 && (metadata.finalizers ?? []).length > 0;
}

function nextToStop({ pod }: ObservedPod, running: readonly Instance[]): readonly Instance[] {
  const sidecars = initContainersOf(pod)
    .filter(isSidecar)
    .map(({ name }) => name);
  const others = running.filter(({ name }) => !sidecars.includes(name));
  if (others.length > 0) return others;
  const last = sidecars.findLast((name) => running.some((instance) => instance.name === name));
  return running.filter(({ name }) => name === last);
}
