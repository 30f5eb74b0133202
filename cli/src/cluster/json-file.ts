import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The value in a JSON file; undefined when there is none. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} cannot be read: ${why}`, { cause: error });
  }
}

/** Writes it whole or not at all. */
export async function writeWhole(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
