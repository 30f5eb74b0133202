import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, type Clock } from "@kedge/machinery";
import type { NetworkCommands } from "../commands.ts";
import { NetworkError } from "../network-error.ts";
import type { ClusterNetwork, HostPort } from "../types.ts";
import { writeWhole } from "../write-whole.ts";
import { hostPortsTable, type LedHostPort } from "./host-ports-table.ts";

/** What ports of a node are kept with. */
export interface HostPortsOptions {
  readonly network: ClusterNetwork;
  readonly folder: string;
  readonly commands: NetworkCommands;
  readonly clock: Clock;
}

/** Which pods answer at ports of the node itself. Kept in a file, so that it survives the agent. */
export interface HostPorts {
  /** Leads the ports of the node to a pod, until it is taken off. The same pod again changes nothing. */
  lead(podUid: string, podAddress: string, ports: readonly HostPort[]): Promise<void>;
  takeOff(podUid: string): Promise<void>;
}

type Known = Readonly<Record<string, readonly LedHostPort[]>>;

/** The file's name in the network's folder. */
const fileName = "host-ports.json";

/** Reads from the folder which pods have ports. */
export async function openHostPorts(options: HostPortsOptions): Promise<HostPorts> {
  const { network, folder, commands, clock } = options;
  const file = join(folder, fileName);
  let known = await clock.track(readPorts(file));
  let last = Promise.resolve();
  /** The rules in force; undefined: those of an earlier agent, or not known. */
  let applied: string | undefined;

  /** One after the other. The record first: rules that it does not know of, nobody would take away. */
  const change = async (next: (before: Known) => Known): Promise<void> => {
    const before = last;
    const done = Promise.withResolvers<void>();
    last = done.promise;
    await before;
    try {
      const changed = next(known);
      const table = hostPortsTable(network, Object.values(changed).flat());
      if (table === applied) return;
      await clock.track(writeWhole(file, `${JSON.stringify(changed, undefined, 2)}\n`));
      known = changed;
      applied = undefined;
      await commands.nft(table);
      applied = table;
    } finally {
      done.resolve();
    }
  };

  return {
    async lead(uid, podAddress, ports) {
      const led = ports.map((port) => ({ ...port, podAddress }));
      await change((before) => {
        const { [uid]: _own, ...others } = before;
        for (const port of led) {
          const taken = Object.values(others)
            .flat()
            .find((other) => clash(port, other));
          if (taken !== undefined)
            throw new NetworkError(
              `hostPort ${port.port}/${port.protocol} is taken: the pod with the address ${taken.podAddress} has it`,
            );
        }
        return { ...others, [uid]: led };
      });
    },
    async takeOff(uid) {
      if (known[uid] === undefined) return;
      await change(({ [uid]: _gone, ...others }) => others);
    },
  };
}

/** Forgets all of it, where the rules are gone. */
export async function forgetHostPorts(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true });
}

function clash(one: HostPort, other: HostPort): boolean {
  return (
    one.port === other.port &&
    one.protocol === other.protocol &&
    (one.address === undefined || other.address === undefined || one.address === other.address)
  );
}

async function readPorts(file: string): Promise<Known> {
  try {
    // Only `change` writes it, whole or not at all.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(await readFile(file, "utf8")) as Known;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return {};
    throw error;
  }
}
