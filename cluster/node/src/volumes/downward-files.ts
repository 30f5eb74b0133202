import type { DeepReadonly } from "@kedge/machinery";
import type { DownwardAPIVolumeFile } from "@kedge/machinery/kinds/core/v1";
import { fieldValue, resourceValue, type NodeAllocatable, type PodAddresses } from "../containers/fields.ts";
import { containerOf } from "../model/spec-of.ts";
import type { ApiPod } from "../model/types.ts";
import type { Payload, PayloadFile } from "./payload.ts";

/** Files that tell a pod about itself. */
export function downwardFiles(
  pod: ApiPod,
  items: readonly DeepReadonly<DownwardAPIVolumeFile>[],
  context: {
    readonly defaultMode: number;
    readonly addresses: PodAddresses;
    readonly allocatable: NodeAllocatable;
  },
): Payload {
  const files = new Map<string, PayloadFile>();
  for (const item of items) {
    const text = valueOf(pod, item, context);
    files.set(item.path, { data: Buffer.from(text, "utf8"), mode: item.mode ?? context.defaultMode });
  }
  return files;
}

function valueOf(
  pod: ApiPod,
  { path, fieldRef, resourceFieldRef }: DeepReadonly<DownwardAPIVolumeFile>,
  context: { readonly addresses: PodAddresses; readonly allocatable: NodeAllocatable },
): string {
  if (fieldRef !== undefined) return fieldValue(pod, fieldRef.fieldPath, context.addresses);
  if (resourceFieldRef === undefined) throw new Error(`${path}: needs a fieldRef or a resourceFieldRef`);
  const container = containerOf(pod, resourceFieldRef.containerName ?? "");
  if (container === undefined) {
    throw new Error(`${path}: the pod has no container "${resourceFieldRef.containerName ?? ""}"`);
  }
  return resourceValue(container, resourceFieldRef, context.allocatable);
}
