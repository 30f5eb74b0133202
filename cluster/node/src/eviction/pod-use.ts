import type { PodContext } from "../pod/context.ts";
import { instanceOf, podUidOf } from "../pod/labels.ts";
import { storageUse } from "../pod/storage-use.ts";
import type { ApiPod, Instance } from "../model/types.ts";
import type { PodWithUse } from "./rank-pods.ts";
import type { StarvedResource } from "./thresholds.ts";

type UseContext = Pick<PodContext, "clock" | "runtime" | "folder">;

/** Measures what pods use of one resource; the others are left at nothing. */
export async function podsWithUse(
  context: UseContext,
  pods: readonly ApiPod[],
  { resource, signal }: { readonly resource: StarvedResource; readonly signal: AbortSignal },
): Promise<readonly PodWithUse[]> {
  const all = await context.runtime.list();
  const measured: PodWithUse[] = [];
  for (const pod of pods) {
    const instances = all
      .filter((info) => podUidOf(info) === pod.metadata.uid)
      .map((info) => instanceOf(info, undefined));
    const use = { memory: new Map(), disk: new Map(), volumes: 0, inodes: 0, processes: 0 };
    const isOnDisk = resource === "ephemeral-storage" || resource === "inodes";
    measured.push({
      pod,
      use: {
        ...use,
        ...(isOnDisk
          ? await diskOf(context, { pod, instances, resource, signal })
          : await groupsOf(context, instances)),
      },
    });
  }
  return measured;
}

/** Whether containers of the pod still run. */
export async function hasRunning({ runtime }: UseContext, pod: ApiPod): Promise<boolean> {
  const all = await runtime.list();
  return all.some((info) => podUidOf(info) === pod.metadata.uid && info.state === "running");
}

async function groupsOf(
  { runtime }: UseContext,
  instances: readonly Instance[],
): Promise<Pick<PodWithUse["use"], "memory" | "processes">> {
  const memory = new Map<string, number>();
  let processes = 0;
  for (const { id, name, state } of instances) {
    if (state !== "running") continue;
    const usage = await runtime.usage(id);
    memory.set(name, usage?.workingSetBytes ?? 0);
    processes += usage?.processes ?? 0;
  }
  return { memory, processes };
}

async function diskOf(
  context: UseContext,
  of: {
    readonly pod: ApiPod;
    readonly instances: readonly Instance[];
    readonly resource: StarvedResource;
    readonly signal: AbortSignal;
  },
): Promise<Pick<PodWithUse["use"], "disk" | "volumes" | "inodes">> {
  const inodes = of.resource === "inodes";
  const { containers, volumes } = await storageUse(context, { ...of, inodes });
  const inVolumes = sum(volumes.values());
  if (inodes) return { disk: new Map(), volumes: 0, inodes: inVolumes + sum(containers.values()) };
  return { disk: containers, volumes: inVolumes, inodes: 0 };
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, one) => total + one, 0);
}
