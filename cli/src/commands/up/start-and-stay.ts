import { dirOption } from "../../cluster/cluster-folder.ts";
import { tellStarter } from "../../cluster/part-messages.ts";
import { keepCompiled } from "../../keep-compiled.ts";
import { showChanges } from "./show-changes.ts";
import { startCluster } from "./start-cluster.ts";
import type { StartOptions } from "./start-options.ts";

/** Starts the cluster, shows what happens in it, and stops it when a signal says so. */
export async function startAndStay(options: Omit<StartOptions, "signal">): Promise<void> {
  const { flags, terminal } = options;
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error("stopped before it was ready"));
  process.once("SIGINT", stop).once("SIGTERM", stop).once("SIGHUP", stop);
  const { signal } = stopping;
  const cluster = await startCluster({ ...options, signal });
  using _compiled = keepCompiled(options.clock);
  try {
    tellStarter({ type: "ready" });
    if (process.connected) process.disconnect();
    await showChanges({ ...options, signal });
  } finally {
    terminal.waitFor("stopping");
    await cluster.stop();
    terminal.clear();
  }
  terminal.print(`Stopped. \`kedge up${dirOption(flags.dir)}\` starts it again with its data.\n`);
}
