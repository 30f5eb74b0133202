import { findCondition, seededRandom } from "@kedge/machinery";
import { Node } from "@kedge/machinery/kinds/core/v1";
import { createSimulatedAgent, type MachineState } from "@kedge/node";
import type { TestEnv } from "@kedge/testkit";

/** A node beside those of the environment, which can lose its agent and get it back. */
export interface ExtraNode {
  readonly name: string;
  /** Its agent is gone, as if the machine had lost its power or its network. What ran there is not stopped. */
  lose(): Promise<void>;
  /** Its agent is back, with what ran there before; with nothing after a reboot. */
  comeBack(how?: { readonly rebooted?: boolean }): void;
}

/** Starts simulated nodes with these names and waits until pods may go there. Lose them before the environment ends. */
export async function addNodes(env: TestEnv, names: readonly string[]): Promise<readonly ExtraNode[]> {
  const nodes = names.map((name) => extraNode(env, name));
  for (const { name } of nodes) {
    await env.eventually(Node, { name }, ({ spec, status }) => {
      const isReady = findCondition(status?.conditions, "Ready")?.status === "True";
      return isReady && (spec.taints ?? []).length === 0;
    });
  }
  return nodes;
}

function extraNode(env: TestEnv, name: string): ExtraNode {
  const { client, clock } = env;
  let lives = 0;
  let machine: MachineState = { containers: [], addresses: new Map() };
  const start = () => {
    const stop = new AbortController();
    const random = seededRandom(`${name} ${lives++}`);
    const agent = createSimulatedAgent({ client, clock, random, nodeName: name, machine });
    return { stop, agent, done: agent.run(stop.signal) };
  };
  let life = start();
  return {
    name,
    lose: async () => {
      life.stop.abort();
      await env.run(life.done);
      machine = life.agent.machine();
    },
    comeBack: ({ rebooted = false } = {}) => {
      if (rebooted) machine = { containers: [], addresses: new Map() };
      life = start();
    },
  };
}
