import { closeSync, existsSync, fsyncSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { damaged } from "./damaged.ts";

/** The database of a store. */
export function dataFile(folder: string): string {
  return join(folder, "data.mdb");
}

/** Says that there is a store, should its database be gone. */
function markerFile(folder: string): string {
  return join(folder, "kedge-store");
}

/** Whether a folder has a database; throws `DAMAGED` when it has had one. */
export function hasDatabase(folder: string): boolean {
  const data = dataFile(folder);
  const size = existsSync(data) ? statSync(data).size : undefined;
  if (size !== undefined && size > 0) return true;
  const marker = markerFile(folder);
  if (!existsSync(marker)) return false;
  throw damaged(
    data,
    `it is ${size === 0 ? "empty" : "missing"}, though ${marker} says that a store is here`,
  );
}

/** Marks a folder as one that has a database, which it has. */
export function mark(folder: string): void {
  const marker = markerFile(folder);
  if (existsSync(marker)) return;
  const unfinished = `${marker}.new`;
  const file = openSync(unfinished, "w", 0o600);
  try {
    writeSync(file, "The store of a Kedge cluster: data.mdb beside this file belongs to it.\n");
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, marker);
  const parent = openSync(folder, "r");
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}
