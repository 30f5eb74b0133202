import {
  podTotal,
  compareQuantities,
  parseQuantity,
  quantityMilliValue,
  quantityToNumber,
} from "@kedge/machinery";
import { containersOf, initContainersOf, isSidecar, runsOf } from "../model/spec-of.ts";
import type { ContainerDefinition, ContainerChange, ObservedPod, ResizeState } from "../model/types.ts";

/** What becomes of a wish for other resources. */
export interface ResizePlan {
  readonly state: ResizeState | undefined;
  /** Those that are given other limits while they run. */
  readonly changes: readonly ContainerChange[];
  /** Those that have to start again for it. */
  readonly restarts: readonly ContainerChange[];
}

const resizable = ["cpu", "memory"] as const;

/** Compares what containers run with and what the spec says by now, as the kubelet does. */
export function planResize(observed: ObservedPod): ResizePlan {
  const { pod, instances } = observed;
  const wishes = [...initContainersOf(pod).filter(isSidecar), ...containersOf(pod)].flatMap((container) => {
    const [instance] = runsOf(instances, container.name);
    if (instance?.state !== "running" || instance.resources === undefined) return [];
    return changedIn(instance.resources, container.resources).length === 0 ? [] : [{ instance, container }];
  });
  if (wishes.length === 0) return { state: undefined, changes: [], restarts: [] };
  const shortage = shortageOf(observed);
  if (shortage !== undefined) {
    return { state: { type: "pending", reason: "Deferred", message: shortage }, changes: [], restarts: [] };
  }
  const errors = wishes.flatMap(({ container }) => observed.resizeErrors?.get(container.name) ?? []);
  const [error] = errors;
  return {
    state: { type: "in-progress", ...(error !== undefined && { error }) },
    changes: wishes.filter((wish) => !needsRestart(wish)),
    restarts: wishes.filter(needsRestart),
  };
}

/** Which of the resources that can be changed differ. */
function changedIn(
  before: ContainerDefinition["resources"],
  after: ContainerDefinition["resources"],
): readonly string[] {
  return resizable.filter((resource) =>
    (["requests", "limits"] as const).some(
      (part) => !isSame(before?.[part]?.[resource], after?.[part]?.[resource]),
    ),
  );
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return compareQuantities(parseQuantity(one), parseQuantity(other)) === 0;
}

function needsRestart({ instance, container }: ContainerChange): boolean {
  const changed = changedIn(instance.resources, container.resources);
  return (container.resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" && changed.includes(resourceName),
  );
}

/** What the node has too little of beside its other pods, in the kubelet's words. */
function shortageOf({ pod, room }: ObservedPod): string | undefined {
  if (room === undefined) return undefined;
  for (const resource of resizable) {
    const total = podTotal(pod.spec ?? {}, ({ resources }) => resources?.requests?.[resource]);
    if (total === undefined) continue;
    const requested = resource === "cpu" ? Number(quantityMilliValue(total)) : quantityToNumber(total);
    const { used, capacity } = room[resource];
    if (requested > capacity - used) {
      return `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
    }
  }
  return undefined;
}
