import type { Clock, Logger } from "@kedge/machinery";
import { createServiceProxy } from "@kedge/network";
import type { Informers } from "@kedge/runtime";
import type { ClusterSettings } from "../cluster/cluster-settings.ts";
import { machinePrograms } from "../cluster/machine-programs.ts";
import { machineNetwork } from "../cluster/node-network.ts";

/** What the proxy takes. */
export interface MachineProxyOptions {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Leads what runs on the machine itself to services, and its node ports. Each node has a proxy of its own. */
export async function runMachineProxy(
  settings: ClusterSettings,
  options: MachineProxyOptions,
): Promise<void> {
  const { signal, ...rest } = options;
  const { commands } = await machinePrograms({ ...rest, env: process.env });
  await createServiceProxy({ ...rest, commands, network: machineNetwork(settings) }).run(signal);
}
