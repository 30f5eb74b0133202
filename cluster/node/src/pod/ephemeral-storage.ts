import { podTotal, parseQuantity, quantityToNumber, quantityToString } from "@kedge/machinery";
import { containersOf, initContainersOf } from "../model/spec-of.ts";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";

/** What a pod has on the disk of its node, in bytes. */
export interface StorageUse {
  /** Of emptyDir volumes on disk, by volume name. */
  readonly volumes: ReadonlyMap<string, number>;
  /** What containers wrote beside their volumes, and their logs, by container name. */
  readonly containers: ReadonlyMap<string, number>;
}

/** The emptyDir volumes of a pod that lie on disk, and how large they may be. */
export function diskVolumes(
  pod: ApiPod,
): readonly { readonly name: string; readonly limit: string | undefined }[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, emptyDir }) =>
    emptyDir === undefined || emptyDir.medium === "Memory" ? [] : [{ name, limit: emptyDir.sizeLimit }],
  );
}

/** Whether anything limits what a pod may have on disk: only then it is measured. */
export function limitsStorage(pod: ApiPod): boolean {
  return (
    podTotal(pod.spec ?? {}, limitOf) !== undefined ||
    diskVolumes(pod).some(({ limit }) => limit !== undefined)
  );
}

/** Which limit a pod has passed, in the kubelet's words; undefined: none. */
export function storageExceeded(pod: ApiPod, use: StorageUse): string | undefined {
  const volume = diskVolumes(pod).find(({ name, limit }) => isOver(use.volumes.get(name), limit));
  if (volume !== undefined)
    return `Usage of EmptyDir volume "${volume.name}" exceeds the limit "${volume.limit}". `;
  const all = podTotal(pod.spec ?? {}, limitOf);
  const used = [...use.volumes.values(), ...use.containers.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (all !== undefined && used > quantityToNumber(all)) {
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${quantityToString(all)}. `;
  }
  const container = [...initContainersOf(pod), ...containersOf(pod)].find((one) =>
    isOver(use.containers.get(one.name), limitOf(one)),
  );
  if (container === undefined) return undefined;
  return `Container ${container.name} exceeded its local ephemeral storage limit "${limitOf(container)}". `;
}

function isOver(bytes: number | undefined, limit: string | undefined): boolean {
  return bytes !== undefined && limit !== undefined && bytes > quantityToNumber(parseQuantity(limit));
}

function limitOf({ resources }: ContainerDefinition): string | undefined {
  return resources?.limits?.["ephemeral-storage"];
}
