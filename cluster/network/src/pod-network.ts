import { access, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "@kedge/machinery";
import type { NetworkCommands } from "./commands.ts";
import { createPodFlows } from "./flows/pod-flows.ts";
import { gatewayOf, makeGateway, namespaceFolder, removeNetwork } from "./gateway.ts";
import { hasInterface, withoutIpv6 } from "./interfaces.ts";
import { forgetHostPorts, openHostPorts, type HostPorts } from "./host-ports/host-ports.ts";
import { networkNames } from "./names.ts";
import { openPodAddresses, type PodAddresses } from "./pod-addresses.ts";
import type { ClusterNetwork, PodNetwork } from "./types.ts";

/** What a pod network is made with. */
export interface PodNetworkOptions {
  readonly network: ClusterNetwork;
  /** Where addresses are remembered. Made if it is not there. */
  readonly folder: string;
  readonly commands: NetworkCommands;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A veth pair from each pod to this machine, which routes. No bridge between them: with one, pods would answer each
 * other directly, past the connection tracking that knows which service an answer belongs to, and whether the machine
 * filters bridged traffic would matter.
 */
export function createPodNetwork(options: PodNetworkOptions): PodNetwork {
  const { network, folder, commands, clock, logger } = options;
  const names = networkNames(network);
  const gateway = gatewayOf(network);
  const flows = createPodFlows({ commands, logger });
  let addresses: Promise<PodAddresses> | undefined;
  const opened = (): Promise<PodAddresses> => {
    addresses ??= (async () => {
      await clock.track(mkdir(folder, { recursive: true }));
      return openPodAddresses({ folder, range: network.podCIDR, clock });
    })();
    return addresses;
  };
  let ports: Promise<HostPorts> | undefined;
  const hostPorts = (): Promise<HostPorts> => (ports ??= openHostPorts({ network, folder, commands, clock }));

  return {
    gateway,
    async start() {
      await opened();
      await makeGateway(network, { commands, clock });
    },
    async attach(podUid, wanted = []) {
      const address = await (await opened()).assign(podUid);
      if (wanted.length > 0) await (await hostPorts()).lead(podUid, address, wanted);
      const namespace = names.namespaceOf(podUid);
      const namespacePath = join(namespaceFolder, namespace);
      const veth = names.vethOf(podUid);
      if ((await commands.ip("route", "show", `${address}/32`)).includes(` dev ${veth} `)) {
        return { address, namespacePath };
      }
      await removeVeth(veth);
      if (await exists(namespacePath, clock)) await commands.ip("netns", "del", namespace);
      await commands.ipBatch([
        `netns add ${namespace}`,
        `link add ${veth} type veth peer name eth0 netns ${namespace}`,
      ]);
      await withoutIpv6(veth, clock);
      await commands.ipBatch(
        [
          "link set lo up",
          `addr add ${address}/32 dev eth0`,
          "link set eth0 up",
          `route add ${gateway} dev eth0`,
          `route add default via ${gateway}`,
        ],
        namespace,
      );
      await commands.ipBatch([
        `link set ${veth} up`,
        // Last: a route to the pod says that all of it was done.
        `route replace ${address}/32 dev ${veth} src ${gateway}`,
      ]);
      return { address, namespacePath };
    },
    async detach(podUid) {
      const namespace = names.namespaceOf(podUid);
      await (await hostPorts()).takeOff(podUid);
      await removeVeth(names.vethOf(podUid));
      if (await exists(join(namespaceFolder, namespace), clock)) await commands.ip("netns", "del", namespace);
      const known = await opened();
      const address = known.get(podUid);
      if (address === undefined) return;
      // Before it can be another pod's.
      await flows.forget(address);
      await known.release(podUid);
    },
    async attached() {
      return (await opened()).pods();
    },
    async remove() {
      await removeNetwork(network, { commands, clock });
      await clock.track(rm(join(folder, "addresses.json"), { force: true }));
      await clock.track(forgetHostPorts(folder));
      addresses = undefined;
      ports = undefined;
    },
  };

  async function removeVeth(veth: string): Promise<void> {
    if (await hasInterface(veth, clock)) await commands.ip("link", "del", veth);
  }
}

async function exists(path: string, clock: Clock): Promise<boolean> {
  return clock.track(
    access(path).then(
      () => true,
      () => false,
    ),
  );
}
