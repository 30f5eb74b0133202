import { cp, readdir } from "node:fs/promises";
import { basename, join, relative } from "node:path";

/**
 * Copies the log files of a folder that is about to be deleted to where `kedge test` wants them (`KEDGE_TEST_LOGS`). It
 * keeps them when the run fails.
 */
export async function keepLogs(folder: string, name = basename(folder)): Promise<void> {
  const into = process.env["KEDGE_TEST_LOGS"];
  if (into === undefined) return;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith(".log")) continue;
    const path = join(entry.parentPath, entry.name);
    // What is being written or removed meanwhile is kept as far as it goes.
    await cp(path, join(into, name, relative(folder, path))).catch(() => undefined);
  }
}
