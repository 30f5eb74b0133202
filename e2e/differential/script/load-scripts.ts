import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { parseScript } from "./parse-script.ts";
import type { Script } from "./script.ts";

/** Where the scripts are, and beside them what was recorded. */
export const scriptsFolder = join(import.meta.dirname, "../scripts");

/** All scripts whose name contains the filter, in the order of their names. */
export async function loadScripts(filter = ""): Promise<readonly Script[]> {
  const names = await yamlNamesIn(scriptsFolder);
  return names
    .filter((name) => name.includes(filter))
    .map((name) => parseScript(name, readFileSync(join(scriptsFolder, `${name}.yaml`), "utf8")));
}

/** `area/file` of every YAML file below a folder, sorted. */
export async function yamlNamesIn(folder: string): Promise<readonly string[]> {
  const files = await Array.fromAsync(glob("**/*.yaml", { cwd: folder }));
  return files.map((file) => file.replaceAll("\\", "/").replace(/\.yaml$/u, "")).toSorted();
}
