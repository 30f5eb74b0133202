import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import type { KedgeContext } from "../../context.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { UpFlags } from "./run.ts";

/** What starting in the background takes. */
export interface DetachOptions {
  readonly context: KedgeContext;
  readonly flags: UpFlags;
  readonly folder: ClusterFolder;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/** Starts this very command in the background, and waits until it is ready. What it says is in `logs/up.log`. */
export async function startDetached({
  context,
  flags,
  folder,
  terminal,
  clock,
}: DetachOptions): Promise<Error | void> {
  mkdirSync(folder.logs, { recursive: true });
  const log = join(folder.logs, "up.log");
  const output = openSync(log, "w");
  const started = clock.monotonic();
  const args = [
    join(context.root, "cli/src/main.ts"),
    "up",
    "--dir",
    folder.path,
    ...(flags.port === undefined ? [] : ["--port", String(flags.port)]),
    ...(flags.operators ? [] : ["--no-operators"]),
    ...(flags.sample ? [] : ["--no-sample"]),
    ...(flags.imageAlias ?? []).flatMap((alias) => ["--image-alias", alias]),
  ];
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ["ignore", output, output, "ipc"],
    detached: true,
  });
  closeSync(output);
  terminal.waitFor(`starting the cluster in ${folder.path}`);
  const ended = once(child, "exit");
  // Nobody waits for it when the cluster is up.
  ended.catch(() => undefined);
  const first = await Promise.race([once(child, "message").then(() => "ready"), ended.then(() => "ended")]);
  terminal.clear();
  const said = readFileSync(log, "utf8");
  if (first === "ended")
    return new Error(`the cluster could not be started:\n${said.trimEnd()}\n(from ${log})`);
  terminal.print(said);
  terminal.print(
    `In the background after ${((clock.monotonic() - started) / 1000).toFixed(1)} s. \`kedge down\` stops it.\n`,
  );
  if (child.connected) child.disconnect();
  child.unref();
}
