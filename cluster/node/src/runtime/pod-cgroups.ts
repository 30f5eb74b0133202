import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cgroupHierarchies, removeEmptyCgroup } from "./cgroups.ts";

/** The control groups of pods: each holds those of its containers, and goes when the last of them has gone. */
export interface PodCgroups {
  groupOf(podUid: string): string;
  /** Makes a container in a pod. Its group is empty until then, and stays. */
  making<T>(podUid: string, make: () => Promise<T>): Promise<T>;
  /** A container of the pod has gone. */
  left(podUid: string): void;
}

/** The machine's groups, or a simulation of them. */
export interface CgroupFolders {
  /** Removes a group if it is empty; gives whether it is gone. */
  remove(group: string): boolean;
  /** The names of the groups below one. */
  below(group: string): readonly string[];
}

/** Pods' groups below one parent. Those that a killed process has left empty go at once. */
export function createPodCgroups(parent: string, folders: CgroupFolders = machineFolders): PodCgroups {
  const groupOf = (podUid: string): string => `${parent}/pod${podUid}`;
  const making = new Map<string, number>();
  const leaving = new Set(
    folders.below(parent).flatMap((name) => (name.startsWith("pod") ? [name.slice("pod".length)] : [])),
  );
  /** What is in use now, or is just being let go by the kernel, is tried again with the next that happens. */
  const sweep = (): void => {
    for (const podUid of leaving)
      if (!making.has(podUid) && folders.remove(groupOf(podUid))) leaving.delete(podUid);
    if (making.size === 0) folders.remove(parent);
  };
  sweep();
  return {
    groupOf,
    async making(podUid, make) {
      making.set(podUid, (making.get(podUid) ?? 0) + 1);
      try {
        return await make();
      } finally {
        const left = (making.get(podUid) ?? 1) - 1;
        if (left === 0) making.delete(podUid);
        else making.set(podUid, left);
        sweep();
      }
    },
    left(podUid) {
      leaving.add(podUid);
      sweep();
    },
  };
}

const machineFolders: CgroupFolders = {
  remove(group) {
    removeEmptyCgroup(group);
    return !cgroupHierarchies().some((hierarchy) => existsSync(join(hierarchy, group)));
  },
  below: (group) => [...new Set(cgroupHierarchies().flatMap((hierarchy) => namesIn(join(hierarchy, group))))],
};

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
