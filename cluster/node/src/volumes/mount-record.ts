import type { Mount } from "./mount-table.ts";

/** What is on record about a mount of ours, before it is made. */
export interface MountRecord {
  /** Also the source of a tmpfs, by which it is known whatever became of its path. */
  readonly name: string;
  readonly path: string;
  readonly type: "tmpfs" | "bind";
}

/** Where the mount of a record is; undefined: there is none, or somebody mounted something over it. */
export function mountOf(record: MountRecord, mounts: readonly Mount[]): Mount | undefined {
  const found = mounts.findLast((mount) =>
    record.type === "tmpfs"
      ? mount.type === "tmpfs" && mount.source === record.name
      : mount.path === record.path,
  );
  const uppermost = mounts.findLast(({ path }) => path === found?.path);
  return uppermost === found ? found : undefined;
}
