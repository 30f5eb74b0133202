import { dirname, join } from "node:path";
import { diskUse } from "../volumes/disk-use.ts";
import type { ApiPod, Instance } from "../model/types.ts";
import type { PodContext } from "./context.ts";
import { diskVolumes, type StorageUse } from "./ephemeral-storage.ts";
import { podFolder } from "./pod-folder.ts";

/** Whose use is measured. */
export interface StorageOf {
  readonly pod: ApiPod;
  readonly instances: readonly Pick<Instance, "id" | "name">[];
  readonly signal: AbortSignal;
  /** Counts files and folders instead of bytes. */
  readonly inodes?: boolean;
}

/** What a pod has on the disk of its node. */
export async function storageUse(
  context: Pick<PodContext, "clock" | "runtime" | "folder">,
  { pod, instances, signal, inodes = false }: StorageOf,
): Promise<StorageUse> {
  const { clock, runtime } = context;
  const folder = podFolder(context.folder, pod.metadata.uid);
  const volumes = diskVolumes(pod).map(({ name }) => ({ name, path: join(folder.volumes, name) }));
  const layers = instances.flatMap(({ id, name }) => {
    const path = runtime.writableFolder(id);
    return path === undefined ? [] : [{ name, path }];
  });
  const logs = [...new Set(instances.map(({ name }) => name))].map((name) => ({
    name,
    path: dirname(folder.logOf(name, 0)),
  }));
  const all = [...volumes, ...layers, ...logs];
  const sizes = await diskUse(
    all.map(({ path }) => path),
    { clock, signal, inodes },
  );
  const ofVolumes = new Map<string, number>();
  const ofContainers = new Map<string, number>();
  for (const [index, { name }] of all.entries()) {
    const sums = index < volumes.length ? ofVolumes : ofContainers;
    sums.set(name, (sums.get(name) ?? 0) + (sizes[index] ?? 0));
  }
  return { volumes: ofVolumes, containers: ofContainers };
}
