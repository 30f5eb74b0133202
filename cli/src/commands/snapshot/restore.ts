import { existsSync } from "node:fs";
import { realClock } from "@kedge/machinery";
import { restoreSnapshot } from "@kedge/store";
import { clusterFolder, dirOption } from "../../cluster/cluster-folder.ts";
import { settingIn } from "../../cluster/cluster-settings.ts";
import { parseStore } from "../../cluster/store-choice.ts";
import { takeForStart } from "../../cluster/take-folder.ts";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import type { SnapshotFlags } from "./flags.ts";
import { summaryText } from "./summary-text.ts";

/** Makes the store of a stopped cluster. */
export async function runRestore(
  context: KedgeContext,
  flags: SnapshotFlags,
  file: string,
): Promise<Error | void> {
  if (!existsSync(file)) return new Error(`there is no file ${file}.`);
  const folder = clusterFolder(flags.dir);
  const store = await settingIn(folder, "store");
  if (parseStore(typeof store === "string" ? store : undefined).type !== "lmdb")
    return new Error(`the cluster in ${folder.path} keeps its objects elsewhere (${String(store)}).`);
  // Held until this process ends: nobody starts the cluster meanwhile.
  const lock = await takeForStart(folder, flags.dir);
  if (lock instanceof Error) return lock;
  const terminal = terminalOn(context.process, realClock);
  terminal.waitFor(`restoring ${file}`);
  try {
    const summary = await restoreSnapshot({ file, folder: folder.store, clock: realClock });
    terminal.clear();
    terminal.print(
      `Restored ${file} to ${folder.store}: ${summaryText(summary)}\n\`kedge up${dirOption(flags.dir)}\` goes on with it.\n`,
    );
  } finally {
    terminal.clear();
  }
}
