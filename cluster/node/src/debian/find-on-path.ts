import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where an administrator's programs are, whether or not this user's PATH has them. */
const administratorFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The path of a program that can be run; undefined when no folder of `path` has it. */
export function findOnPath(program: string, path: string): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ""), ...administratorFolders];
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
