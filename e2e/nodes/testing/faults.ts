import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createNetworkFaults, machineNetworkId, type NetworkFaults } from "@kedge/network";
import { networkCommands } from "../../network/testing/machines.ts";

/** The faults of the cluster in a folder. */
export async function faultsOf(dir: string): Promise<NetworkFaults> {
  const { id } = JSON.parse(readFileSync(join(dir, "cluster.json"), "utf8")) as { readonly id: string };
  return createNetworkFaults({ id: machineNetworkId(id), commands: await networkCommands() });
}
