import { realClock } from "@kedge/machinery";
import { clusterFolder } from "../../cluster/cluster-folder.ts";
import { folderProblem } from "../../cluster/folder-problem.ts";
import { chooseRuntime, runtimeOf, thisMachine, type PodRuntime } from "../../cluster/pod-runtime.ts";
import { takeForStart } from "../../cluster/take-folder.ts";
import type { KedgeContext } from "../../context.ts";
import { tellStarter } from "../../cluster/part-messages.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { startDetached } from "./detach.ts";
import type { UpFlags } from "./flags.ts";
import { startAndStay } from "./start-and-stay.ts";

/** Starts the cluster and stays with it, or leaves it in the background. */
export async function runUp(context: KedgeContext, given: UpFlags): Promise<Error | void> {
  const clock = realClock;
  const folder = clusterFolder(given.dir);
  const { runtime: wanted, dir } = given;
  const runtime = chooseRuntime({ wanted, known: await runtimeOf(folder), machine: thisMachine(), dir });
  if (runtime instanceof Error) return runtime;
  const wrong = wrongAlias(given.imageAlias ?? []) ?? wrongNodes(given.nodes, runtime);
  if (wrong !== undefined) return wrong;
  const flags = { ...given, runtime };
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

/** Containers of more nodes would have to share what one machine has. */
const mostReal = 100;

function wrongNodes(nodes: number | undefined, runtime: PodRuntime): Error | undefined {
  if (nodes === undefined || nodes <= mostReal || runtime === "simulated") return undefined;
  return new Error(
    `--nodes ${nodes}: at most ${mostReal} nodes have real containers; --runtime simulated has more`,
  );
}
