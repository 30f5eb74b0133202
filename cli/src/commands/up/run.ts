import { realClock } from "@kedge/machinery";
import { clusterFolder } from "../../cluster/cluster-folder.ts";
import { runningProcesses } from "../../cluster/running-processes.ts";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { startDetached } from "./detach.ts";
import { startCluster } from "./start-cluster.ts";
import { showChanges } from "./show-changes.ts";

/** The flags of `kedge up`. */
export interface UpFlags {
  readonly dir: string;
  readonly port?: number;
  readonly operators: boolean;
  readonly sample: boolean;
  readonly detach: boolean;
  readonly imageAlias?: readonly string[];
}

/** Starts the cluster and stays with it, or leaves it in the background. */
export async function runUp(context: KedgeContext, flags: UpFlags): Promise<Error | void> {
  const clock = realClock;
  const folder = clusterFolder(flags.dir);
  const wrong = wrongMachine() ?? wrongAlias(flags.imageAlias ?? []);
  if (wrong !== undefined) return wrong;
  const [running] = await runningProcesses(folder);
  if (running !== undefined) {
    return new Error(
      `a cluster already runs in ${folder.path} (process ${running.pid}). \`kedge status\` shows it, \`kedge down\` stops it.`,
    );
  }
  const terminal = terminalOn(context.process, clock);
  if (flags.detach) return startDetached({ context, flags, folder, terminal, clock });

  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop).once("SIGHUP", stop);
  const { signal } = stopping;
  const cluster = await startCluster({ context, flags, folder, terminal, clock, signal });
  try {
    process.send?.({ type: "ready" });
    if (process.connected) process.disconnect();
    await showChanges({ folder, terminal, clock, signal, env: context.process.env });
  } finally {
    terminal.waitFor("stopping");
    await cluster.stop();
    terminal.clear();
  }
  terminal.print("Stopped. `kedge up` starts it again with its data.\n");
}

function wrongMachine(): Error | undefined {
  if (process.platform !== "linux")
    return new Error(`the embedded cluster runs containers, which needs Linux; this is ${process.platform}`);
  if (process.getuid?.() === 0) return undefined;
  return new Error(
    "the embedded cluster makes containers and network namespaces, which needs root: sudo ./kedge up",
  );
}

function wrongAlias(aliases: readonly string[]): Error | undefined {
  const wrong = aliases.find((alias) => !/^[^=]+=[^=]+$/u.test(alias));
  return wrong === undefined
    ? undefined
    : new Error(`--image-alias ${wrong}: must be name=image, such as nginx:latest=kedge.dev/echo:1`);
}
