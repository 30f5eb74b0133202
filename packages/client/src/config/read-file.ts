import { readFile } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";
import { placeError, type Place } from "./place.ts";

/** A file that a configuration names, and where it does. */
export interface FileReference {
  readonly file: string;
  readonly place: Place;
}

/** Reads a file that a configuration names. The error says who named it. */
export async function readReferencedFile(reference: FileReference, clock: Clock): Promise<string> {
  try {
    return await clock.track(readFile(reference.file, "utf8"));
  } catch (error) {
    throw unreadable(reference, error);
  }
}

/** Reads a file; undefined when there is none. */
export async function readFileIfThere(reference: FileReference, clock: Clock): Promise<string | undefined> {
  try {
    return await clock.track(readFile(reference.file, "utf8"));
  } catch (error) {
    if (readFailure(error) === missing) return undefined;
    throw unreadable(reference, error);
  }
}

/** Says in words why a file could not be read or run. */
export function readFailure(error: unknown): string {
  const code = systemCode(error);
  return reasons.get(code) ?? (code === "" ? String(error) : code);
}

const missing = "no such file";

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", missing],
  ["ENOTDIR", missing],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EISDIR", "it is a directory"],
]);

function unreadable({ file, place }: FileReference, error: unknown): Error {
  const what = place.document === file ? "cannot be read" : `cannot read ${file}`;
  return placeError(place, `${what}: ${readFailure(error)}`, { cause: error });
}

function systemCode(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
