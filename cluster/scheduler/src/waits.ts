import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/** Pods say by this name who places them. */
export const schedulerName = "default-scheduler";

/** Whether a pod waits for this scheduler to give it a node. */
export function waits({ metadata, spec, status }: DeepReadonly<Pod>): boolean {
  return (
    (spec.nodeName ?? "") === "" &&
    (spec.schedulerName ?? schedulerName) === schedulerName &&
    metadata.deletionTimestamp === undefined &&
    (spec.schedulingGates ?? []).length === 0 &&
    status?.phase !== "Succeeded" &&
    status?.phase !== "Failed"
  );
}
