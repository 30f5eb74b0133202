import { StoreError } from "../store-error.ts";
import type { Members } from "./members.ts";
import { readVersion } from "./messages.ts";

/** The first of each minor version whose answers about the progress of a watch can be trusted. */
const oldest = { 4: 31, 5: 13 } as const;

/** Refuses an etcd whose watches can say that they are further than they are, as kube-apiserver does. */
export async function checkVersion(members: Members): Promise<void> {
  const path = "/etcdserverpb.Maintenance/Status";
  const version = readVersion(await members.call(path, new Uint8Array(), { repeatable: true }));
  if (isTrusted(version)) return;
  throw new StoreError(
    "INVALID",
    `etcd ${version}: must be 3.4.31, 3.5.13 or newer: older ones show the progress of watches wrongly`,
  );
}

/** Whether a version, such as 3.5.30, is new enough. */
export function isTrusted(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/u).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= oldest[4];
  if (minor === 5) return patch >= oldest[5];
  return minor > 5;
}
