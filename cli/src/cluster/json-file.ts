import { readFile } from "node:fs/promises";
import { hasCode, messageOf } from "@kedge/machinery";

/** The value in a JSON file; undefined when there is none. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    const why = messageOf(error);
    throw new Error(`${path} cannot be read: ${why}`, { cause: error });
  }
}
