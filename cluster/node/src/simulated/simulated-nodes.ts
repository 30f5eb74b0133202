import type { Client } from "@kedge/client";
import type { Clock, Logger, Random } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { createInformers } from "@kedge/runtime";
import type { NodeApiOptions } from "../api/node-api.ts";
import { podsByNode } from "./pods-by-node.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { simulatedCapacity } from "./simulated-facts.ts";

/** What many simulated nodes are made of. */
export interface SimulatedNodesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly nodes: readonly SimulatedNodeOptions[];
  /** Where and how each answers the API server. Each has a port of its own. */
  readonly api: Omit<NodeApiOptions, "port">;
  /** Whether a node is to be silent now, as if it were off. Default: none is. */
  readonly isOff?: (node: string) => boolean;
  /** Told that a node which is to be off says nothing any more. */
  readonly onOff?: (node: string) => Promise<void>;
  /** What each has. Default: room for 250 pods, and more of the rest than these ask for. */
  readonly capacity?: Readonly<Record<string, string>>;
}

/** What tells a simulated node from others. */
export interface SimulatedNodeOptions {
  readonly name: string;
  readonly podCIDR: string;
}

/** Simulated nodes that share a process, a connection and a watch. */
export interface SimulatedNodes {
  /** Runs until the signal aborts. `onReady` is told when all nodes that are not off are registered. */
  run(signal: AbortSignal, onReady?: () => void): Promise<void>;
}

/** As many pods as a node's usual range has addresses for. */
const usualCapacity = { ...simulatedCapacity, pods: "250" };

/** How often to look which nodes are off. */
const lookMs = 500;

/** Makes them. Nothing happens before `run`. */
export function createSimulatedNodes(options: SimulatedNodesOptions): SimulatedNodes {
  const { client, clock, random, logger, isOff = () => false } = options;
  const informers = createInformers({ client, clock, random, logger });
  const podsOf = podsByNode(informers.of(Pod, { fieldSelector: "spec.nodeName!=" }));
  const runOne = async (
    { name, podCIDR }: SimulatedNodeOptions,
    signal: AbortSignal,
    onReady: () => void,
  ): Promise<void> => {
    // Made anew each time: what was in it is lost, as with a machine that was off.
    const agent = createSimulatedAgent({
      client,
      clock,
      random,
      logger: logger.with({ node: name }),
      nodeName: name,
      podCIDR,
      pods: podsOf(name),
      api: { ...options.api, port: 0 },
      capacity: options.capacity ?? usualCapacity,
    });
    await agent.run(signal, onReady);
  };
  /** Runs a node whenever it is not off. */
  const keep = async (
    node: SimulatedNodeOptions,
    signal: AbortSignal,
    onReady: () => void,
  ): Promise<void> => {
    const pause = (): Promise<void> => clock.sleep(lookMs, signal).catch(() => undefined);
    while (!signal.aborted) {
      if (isOff(node.name)) {
        onReady();
        await options.onOff?.(node.name);
        await pause();
        continue;
      }
      const off = new AbortController();
      const running = runOne(node, AbortSignal.any([signal, off.signal]), onReady);
      const watching = async (): Promise<void> => {
        while (!signal.aborted && !isOff(node.name)) await pause();
        off.abort(new Error("the node is off"));
      };
      await Promise.all([running, watching()]);
    }
  };
  return {
    async run(signal, onReady) {
      const ready = options.nodes.map(() => Promise.withResolvers<void>());
      const work = [
        informers.run(signal),
        ...options.nodes.map((node, index) => keep(node, signal, () => ready[index]?.resolve())),
      ];
      await Promise.race([Promise.all(ready.map(({ promise }) => promise)), ...work]);
      if (!signal.aborted) onReady?.();
      await Promise.all(work);
    },
  };
}
