import { open, type RootDatabase } from "lmdb";
import { StoreError } from "../store-error.ts";
import type { Key } from "./keys.ts";
import { dataFile } from "./marker.ts";

/** Opens the database of a folder, whatever is in it. */
export function openDatabase(folder: string): RootDatabase<Buffer, Key> {
  try {
    return open<Buffer, Key>({
      path: folder,
      encoding: "binary",
      // The folder is a folder, whatever its name looks like.
      noSubdir: false,
      // Commit and flush are one step: nothing becomes current that is not on the disk.
      overlappingSync: false,
      // The journal has its own batches. This would make one around each, whose failure nobody hears.
      eventTurnBatching: false,
    });
  } catch (cause) {
    throw new StoreError("FAILED", `${dataFile(folder)} could not be opened: ${String(cause)}`, { cause });
  }
}
