import { readFile } from "node:fs/promises";
import { messageOf } from "@kedge/machinery";
import { readConfiguration, type Profile } from "@kedge/scheduler";
import { parse } from "yaml";

/** The profiles of the file that `--scheduler-config` names; undefined: none was named. */
export async function readSchedulerConfig(path: string | undefined): Promise<readonly Profile[] | undefined> {
  if (path === undefined) return undefined;
  try {
    return readConfiguration(parse(await readFile(path, "utf8")));
  } catch (error) {
    throw new Error(`--scheduler-config ${path}: ${messageOf(error)}`, { cause: error });
  }
}
