import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@kedge/machinery";
import type { RootDatabase } from "lmdb";
import { StoreError } from "../store-error.ts";
import { ownerKey, type Key } from "./keys.ts";

/**
 * Writes our name into the database, unless a process that still runs has written its own. LMDB lets one process write
 * at a time, so that two cannot both find it free. Returns what frees it.
 */
export function claim(db: RootDatabase<Buffer, Key>, folder: string): () => Promise<boolean> {
  const me = `${process.pid} ${statOf(process.pid).start}`;
  const other = db.transactionSync(() => {
    const owner = db.get(ownerKey)?.toString();
    if (owner !== undefined && nameOf(Number.parseInt(owner, 10)) === owner) return owner;
    db.putSync(ownerKey, Buffer.from(me));
    return undefined;
  });
  if (other !== undefined) throw inUse(other, folder);
  // For those who must know before they open the database.
  writeFileSync(ownerFile(folder), me, { mode: 0o600 });
  return () => {
    rmSync(ownerFile(folder), { force: true });
    return db.remove(ownerKey);
  };
}

/** Throws `IN_USE` when a process that still runs has said that the folder is its own. */
export function assertFree(folder: string): void {
  const owner = readOwner(folder);
  if (owner !== undefined && nameOf(Number.parseInt(owner, 10)) === owner) throw inUse(owner, folder);
}

function readOwner(folder: string): string | undefined {
  try {
    return readFileSync(ownerFile(folder), "utf8");
  } catch {
    return undefined;
  }
}

function ownerFile(folder: string): string {
  return join(folder, "owner");
}

function inUse(owner: string, folder: string): StoreError {
  const pid = Number.parseInt(owner, 10);
  const who = pid === process.pid ? "this process" : `process ${pid}`;
  return new StoreError("IN_USE", `${folder}: the store is in use by ${who}`);
}

/** A process by its number and, where the system tells, its start: numbers come again. Undefined when it is gone. */
function nameOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if (!hasCode(error, "EPERM")) return undefined;
  }
  const { state, start } = statOf(pid);
  // A zombie has let go of its files: nobody has asked yet how it ended.
  return state === "Z" ? undefined : `${pid} ${start}`;
}

function statOf(pid: number): { readonly state: string; readonly start: string } {
  try {
    // The name of the program, in brackets, may hold blanks: count from behind it. State and start are fields 3 and 22.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, start: fields[18] ?? "" };
  } catch {
    return { state: "", start: "" };
  }
}
