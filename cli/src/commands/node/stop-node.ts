import { realClock, silentLogger } from "@kedge/machinery";
import { clearMachine } from "../../cluster/clear-machine.ts";
import { dirOption } from "../../cluster/cluster-folder.ts";
import { machinePrograms } from "../../cluster/machine-programs.ts";
import { hasNamespaces, machineNetworkOf } from "../../cluster/node-network.ts";
import { signalAll, waitForEnd } from "../../cluster/running-processes.ts";
import { markStopped } from "../../cluster/stopped-nodes.ts";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { agentOf, nodeOfCluster } from "./running-cluster.ts";
import { takeNode } from "./take-node.ts";

/** The flags of `kedge node stop`. */
export interface StopNodeFlags {
  readonly dir: string;
  readonly now: boolean;
}

/** Longer than containers get to end. */
const patience = 30_000;

/** Ends a node's agent and containers, and takes its network away. */
export async function runStopNode(
  context: KedgeContext,
  flags: StopNodeFlags,
  name: string,
): Promise<Error | void> {
  const [clock, logger] = [realClock, silentLogger];
  const found = await nodeOfCluster(flags.dir, name);
  if (found instanceof Error) return found;
  const { folder, settings, node } = found;
  const terminal = terminalOn(context.process, clock);
  terminal.waitFor(`stopping the node ${name}`);
  const taken = await takeNode(found, "node stop", clock);
  if (taken instanceof Error) return taken;
  const machine = await machinePrograms({ clock, logger, env: context.process.env });
  const network = hasNamespaces(settings) ? machineNetworkOf(settings, { ...machine, clock }) : undefined;
  // Before it ends: the supervisor starts again what ends by itself.
  await markStopped(folder, name);
  const agent = await agentOf(found);
  const agents = agent === undefined ? [] : [agent];
  if (flags.now) {
    // What is about to die must not say so to others any more.
    await network?.unlink(name);
  } else {
    signalAll(agents, "SIGTERM");
    await waitForEnd(agents, { clock, patience });
  }
  signalAll(agents, "SIGKILL");
  await waitForEnd(agents, { clock, patience });
  await clearMachine({ folder, settings, node, clock, logger, machine, gently: !flags.now });
  await network?.unlink(name);
  terminal.clear();
  terminal.print(
    `The node ${name} is stopped. \`kedge node start ${name}${dirOption(flags.dir)}\` starts it again.\n`,
  );
}
