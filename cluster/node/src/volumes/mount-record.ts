import type { Mount } from "./mount-table.ts";

/** What is on record about a mount of ours, before it is made. */
export interface MountRecord {
  /** Also the source of a tmpfs, by which it is known whatever became of its path. */
  readonly name: string;
  readonly path: string;
  readonly type: "tmpfs" | "bind" | "image";
}

/** What became of the mount of a record. */
export type MountState =
  | { readonly state: "absent" }
  | { readonly state: "mounted"; readonly path: string }
  /** Somebody has mounted something over it: unmounting would take that away. */
  | { readonly state: "covered" };

/** Finds the mount of a record among those of the machine. */
export function mountState(record: MountRecord, mounts: readonly Mount[]): MountState {
  const found = mounts.findLast((mount) => isOf(record, mount));
  if (found === undefined) return { state: "absent" };
  const uppermost = mounts.findLast(({ path }) => path === found.path);
  return uppermost === found ? { state: "mounted", path: found.path } : { state: "covered" };
}

function isOf({ type, name, path }: MountRecord, mount: Mount): boolean {
  if (type === "tmpfs") return mount.type === "tmpfs" && mount.source === name;
  // Who mounts a file system of his own there has not got it from a loop device, most likely.
  return mount.path === path && (type === "bind" || mount.source.startsWith("/dev/loop"));
}
