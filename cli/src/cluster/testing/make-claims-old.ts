import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** As if the processes that made the claims in a folder had ended. */
export async function makeClaimsOld(path: string): Promise<void> {
  for (const file of await readdir(path)) {
    if (!file.endsWith(".json")) continue;
    const claim = JSON.parse(await readFile(join(path, file), "utf8")) as object;
    const by = { role: "claim", pid: 1, started: "long ago" };
    await writeFile(join(path, file), JSON.stringify({ ...claim, by }));
  }
}
