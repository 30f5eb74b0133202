import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { hasCode } from "@kedge/machinery";

/**
 * Removes a folder with all in it, however deep: containers can make paths that are longer than any system call takes in
 * one piece, which `rm` of Node.js does not remove. Does nothing when it is not there.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!hasCode(error, "ENAMETOOLONG")) throw error;
    await promisify(execFile)("rm", ["-rf", "--one-file-system", "--", path]);
  }
}
