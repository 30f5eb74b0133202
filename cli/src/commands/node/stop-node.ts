import { realClock, silentLogger, type Clock } from "@kedge/machinery";
import { clearMachine } from "../../cluster/clear-machine.ts";
import { dirOption } from "../../cluster/cluster-folder.ts";
import { isSimulated } from "../../cluster/cluster-settings.ts";
import { machinePrograms } from "../../cluster/machine-programs.ts";
import { hasNamespaces, machineNetworkOf } from "../../cluster/node-network.ts";
import { nodeRole } from "../../cluster/launch-part.ts";
import { endPartPrograms } from "../../cluster/part-programs.ts";
import { signalAll, waitForEnd } from "../../cluster/running-processes.ts";
import { hasEnded, markStopped } from "../../cluster/stopped-nodes.ts";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { agentOf, nodeOfCluster, type NodeOfCluster } from "./running-cluster.ts";
import { takeNode } from "./take-node.ts";

/** The flags of `kedge node stop`. */
export interface StopNodeFlags {
  readonly dir: string;
  readonly now: boolean;
}

/** Longer than containers get to end. */
const patience = 30_000;
const pause = 50;

/** Ends a node's agent and containers, and takes its network away. */
export async function runStopNode(
  context: KedgeContext,
  flags: StopNodeFlags,
  name: string,
): Promise<Error | void> {
  const clock = realClock;
  const found = await nodeOfCluster(flags.dir, name);
  if (found instanceof Error) return found;
  const terminal = terminalOn(context.process, clock);
  terminal.waitFor(`stopping the node ${name}`);
  const taken = await takeNode(found, "node stop", clock);
  if (taken instanceof Error) return taken;
  const stopping = isSimulated(found.settings)
    ? stopSimulated(found, clock)
    : stopReal(found, {
        now: flags.now,
        env: context.process.env,
        clock,
      });
  const problem = await stopping;
  terminal.clear();
  if (problem !== undefined) return problem;
  terminal.print(
    `The node ${name} is stopped. \`kedge node start ${name}${dirOption(flags.dir)}\` starts it again.\n`,
  );
}

/** The process of all simulated nodes looks now and then which are wanted. */
async function stopSimulated({ folder, node }: NodeOfCluster, clock: Clock): Promise<Error | undefined> {
  await markStopped(folder, node.name);
  const until = clock.monotonic() + patience;
  while (!hasEnded(folder, node.name)) {
    if (clock.monotonic() >= until)
      return new Error(`the node ${node.name} goes on. See ${folder.logs}/nodes.log.`);
    await clock.sleep(pause);
  }
  return undefined;
}

async function stopReal(
  found: NodeOfCluster,
  options: {
    readonly now: boolean;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly clock: Clock;
  },
): Promise<undefined> {
  const { folder, settings, node } = found;
  const { clock, env, now } = options;
  const logger = silentLogger;
  const machine = await machinePrograms({ clock, logger, env });
  const network = hasNamespaces(settings) ? machineNetworkOf(settings, { ...machine, clock }) : undefined;
  // Before it ends: the supervisor starts again what ends by itself.
  await markStopped(folder, node.name);
  const agent = await agentOf(found);
  const agents = agent === undefined ? [] : [agent];
  if (now) {
    // What is about to die must not say so to others any more.
    await network?.unlink(node.name);
  } else {
    signalAll(agents, "SIGTERM");
    await waitForEnd(agents, { clock, patience });
  }
  signalAll(agents, "SIGKILL");
  await waitForEnd(agents, { clock, patience });
  await endPartPrograms(folder, { role: nodeRole(node.name), clock });
  await clearMachine({ folder, settings, node, clock, logger, machine, gently: !now });
  await network?.unlink(node.name);
  return undefined;
}
