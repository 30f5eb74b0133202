import { statSync } from "node:fs";
import { join } from "node:path";
import { dirOption, type ClusterFolder } from "./cluster-folder.ts";
import type { ClusterSettings } from "./cluster-settings.ts";

/**
 * Throws when a cluster that had data has none. A store would begin anew without a word, and all that the cluster ran
 * would be taken for leftovers.
 */
export function checkStoreFile(
  folder: ClusterFolder,
  { storeCreated, store = "lmdb" }: ClusterSettings,
): void {
  if (storeCreated !== true || store !== "lmdb") return;
  const file = join(folder.store, "data.mdb");
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  throw new Error(
    `${file} is ${size === undefined ? "missing" : "empty"}: all objects of this cluster were in it. Put it back ` +
      `(is a file system not mounted?); or delete what is left of the cluster, volumes included, with ` +
      `\`kedge down${dirOption(folder.path)} --purge\`; or give another --dir.`,
  );
}
