import { realClock } from "@kedge/machinery";
import { clusterFolder } from "../../cluster/cluster-folder.ts";
import { folderProblem } from "../../cluster/folder-problem.ts";
import { takeForStart } from "../../cluster/take-folder.ts";
import { wrongMachine } from "../../cluster/wrong-machine.ts";
import type { KedgeContext } from "../../context.ts";
import { tellStarter } from "../../cluster/part-messages.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { startDetached } from "./detach.ts";
import type { UpFlags } from "./flags.ts";
import { startAndStay } from "./start-and-stay.ts";

/** Starts the cluster and stays with it, or leaves it in the background. */
export async function runUp(context: KedgeContext, flags: UpFlags): Promise<Error | void> {
  const clock = realClock;
  const folder = clusterFolder(flags.dir);
  const wrong = wrongMachine("up") ?? wrongAlias(flags.imageAlias ?? []);
  if (wrong !== undefined) return wrong;
  try {
    // Held until this process ends: what a start that was interrupted still does, nobody else can meet.
    const lock = await takeForStart(folder, flags.dir);
    if (lock instanceof Error) return lock;
    const terminal = terminalOn(context.process, clock);
    if (flags.detach) return await startDetached({ context, flags, folder, terminal, lock });
    return await startAndStay({ context, flags, folder, terminal, clock, lock });
  } catch (error) {
    const problem = folderProblem(error, folder);
    if (problem instanceof Error) tellStarter({ type: "failed", why: problem.message });
    throw problem;
  }
}

function wrongAlias(aliases: readonly string[]): Error | undefined {
  const wrong = aliases.find((alias) => !/^[^=]+=[^=]+$/u.test(alias));
  return wrong === undefined
    ? undefined
    : new Error(`--image-alias ${wrong}: must be name=image, such as nginx:latest=kedge.dev/echo:1`);
}
