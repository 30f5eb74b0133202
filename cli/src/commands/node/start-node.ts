import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { isNotFound, realClock, silentLogger } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { isSimulated } from "../../cluster/cluster-settings.ts";
import { machinePrograms } from "../../cluster/machine-programs.ts";
import { hasNamespaces, machineNetworkOf } from "../../cluster/node-network.ts";
import { isStopped, unmarkStopped } from "../../cluster/stopped-nodes.ts";
import { untilNodeReady } from "../../cluster/until-node-ready.ts";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { nodeOfCluster } from "./running-cluster.ts";
import { takeNode } from "./take-node.ts";

/** The flags of `kedge node start`. */
export interface StartNodeFlags {
  readonly dir: string;
}

const patience = 60_000;
const pause = 50;

/** Gives a node its network again, and has the supervisor start its agent. Returns when the node is ready. */
export async function runStartNode(
  context: KedgeContext,
  flags: StartNodeFlags,
  name: string,
): Promise<Error | void> {
  const clock = realClock;
  const found = await nodeOfCluster(flags.dir, name);
  if (found instanceof Error) return found;
  const { folder, settings, node } = found;
  const terminal = terminalOn(context.process, clock);
  terminal.waitFor(`starting the node ${name}`);
  const taken = await takeNode(found, "node start", clock);
  if (taken instanceof Error) return taken;
  using limit = clock.deadline(patience);
  const client = connect(await loadKubeconfig({ env: {}, clock, path: folder.kubeconfig }), { clock });
  try {
    if (isStopped(folder, name)) {
      const { env } = context.process;
      if (hasNamespaces(settings)) {
        const { commands } = await machinePrograms({ clock, logger: silentLogger, env });
        await machineNetworkOf(settings, { commands, clock }).link(node);
      }
      const before = await renewTime(client, name);
      await unmarkStopped(folder, name);
      // Its object may still say Ready from before it was stopped.
      while ((await renewTime(client, name)) === before) await clock.sleep(pause, limit.signal);
    }
    await untilNodeReady(client, name, limit.signal);
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    const log = isSimulated(settings) ? "nodes.log" : `node-${name}.log`;
    return new Error(`the node ${name} was not ready after ${patience / 1000} s. See ${folder.logs}/${log}.`);
  } finally {
    await client.close();
    terminal.clear();
  }
  terminal.print(`The node ${name} is ready.\n`);
}

/** When its agent said the last time that it is there; undefined: never. */
async function renewTime(client: Client, name: string): Promise<string | undefined> {
  const key = { namespace: "kube-node-lease", name };
  const lease = await client
    .of(Lease)
    .get(key)
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
  return lease?.spec?.renewTime;
}
