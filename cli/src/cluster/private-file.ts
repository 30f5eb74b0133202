import { readFileSync, statSync } from "node:fs";

/** Reads a file with secrets. Throws when others may read it, too. */
export function readPrivateFile(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new Error(`there is no file ${file}`);
  if ((stat.mode & 0o077) !== 0)
    throw new Error(
      `${file} has keys in it, and others on this machine may read it (mode ${(stat.mode & 0o777).toString(8)}): chmod 600 ${file}`,
    );
  return readFileSync(file, "utf8");
}
