import { readFile } from "node:fs/promises";
import { hasCode, messageOf } from "@kedge/machinery";

/** The value in a JSON file; undefined when there is none. When it cannot be read the error says the way out, too. */
export async function readJsonFile(path: string, wayOut = ""): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    const why = messageOf(error);
    throw new Error(`${path} cannot be read: ${why}${wayOut === "" ? "" : `. ${wayOut}`}`, { cause: error });
  }
}
