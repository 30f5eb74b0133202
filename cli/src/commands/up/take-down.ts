import { silentLogger, type Clock } from "@kedge/machinery";
import { cleanUpCluster } from "../../cluster/clean-up.ts";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import { hasCluster, settingsForStop } from "../../cluster/cluster-settings.ts";

/** What taking down takes. */
export interface TakeDownOptions {
  readonly folder: ClusterFolder;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Removes what parts have left that were killed, or were just being started. */
export async function takeDown({ folder, clock, env }: TakeDownOptions): Promise<void> {
  if (!(await hasCluster(folder))) return;
  const settings = await settingsForStop(folder);
  await cleanUpCluster({ folder, settings, clock, logger: silentLogger, env });
}
