import { createReadStream, existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { loadKubeconfig, NetworkTransport } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { readSnapshot, type SnapshotSummary } from "@kedge/store";
import { clusterFolder, dirOption } from "../../cluster/cluster-folder.ts";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import type { SnapshotFlags } from "./flags.ts";
import { summaryText } from "./summary-text.ts";

/** A cluster that sends nothing for so long is not waited for, in milliseconds. */
const patience = 30_000;

/** Saves a snapshot of the running cluster: the whole file, checked, or none. */
export async function runSave(
  context: KedgeContext,
  flags: SnapshotFlags,
  file: string,
): Promise<Error | void> {
  if (existsSync(file)) return new Error(`${file} is there already: give another name, or move it away.`);
  const folder = clusterFolder(flags.dir);
  if (!existsSync(folder.kubeconfig))
    return new Error(`no cluster is in ${folder.path}. \`kedge up${dirOption(flags.dir)}\` starts one.`);
  const terminal = terminalOn(context.process, realClock);
  terminal.waitFor(`saving a snapshot of ${folder.path}`);
  const unfinished = `${file}.part`;
  try {
    await download(folder.kubeconfig, unfinished);
    const summary: SnapshotSummary = await readSnapshot(createReadStream(unfinished));
    await rename(unfinished, file);
    terminal.clear();
    terminal.print(`Saved ${file}: ${summaryText(summary)}\n`);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    terminal.clear();
  }
}

async function download(kubeconfig: string, file: string): Promise<void> {
  const clock = realClock;
  const transport = new NetworkTransport(await loadKubeconfig({ env: {}, clock, path: kubeconfig }), {
    clock,
  });
  const stalled = new AbortController();
  const late = (): void => stalled.abort(new Error(`the cluster sent nothing for ${patience / 1000} s`));
  let timer = clock.timer(patience, late);
  const handle = await open(file, "wx", 0o600);
  try {
    const path = "/kedge/snapshot";
    const { status, body } = await transport.request({
      method: "GET",
      path,
      headers: {},
      signal: stalled.signal,
    });
    for await (const piece of body) {
      timer.cancel();
      timer = clock.timer(patience, late);
      if (status !== 200)
        throw new Error(`the cluster refused (${status}): ${Buffer.from(piece).toString()}`);
      await handle.write(piece);
    }
    await handle.sync();
  } finally {
    timer.cancel();
    await handle.close();
    await transport.close();
  }
}
