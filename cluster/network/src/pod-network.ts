import { access, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "@kedge/machinery";
import { addressAt, parseRange } from "./address.ts";
import type { NetworkCommands } from "./commands.ts";
import { allowForwarding, restoreForwarding } from "./forwarding.ts";
import { guardOf } from "./guard.ts";
import { isBridge, networkNames } from "./names.ts";
import { openPodAddresses, type PodAddresses } from "./pod-addresses.ts";
import type { ClusterNetwork, PodNetwork } from "./types.ts";

/** What a pod network is made with. */
export interface PodNetworkOptions {
  readonly network: ClusterNetwork;
  /** The addresses of this node's pods, a part of the network's `podRange`. */
  readonly podCIDR: string;
  /** Where addresses are remembered. Made if it is not there. */
  readonly folder: string;
  readonly commands: NetworkCommands;
  readonly clock: Clock;
  readonly logger: Logger;
}

const namespaceFolder = "/run/netns";

/**
 * A veth pair from each pod to this machine, which routes. No bridge between them: with one, pods would answer each
 * other directly, past the connection tracking that knows which service an answer belongs to, and whether the machine
 * filters bridged traffic would matter. The gateway has its address on a bridge without ports (not every kernel has dummy
 * interfaces); Linux answers for it on every veth pair.
 */
export function createPodNetwork(options: PodNetworkOptions): PodNetwork {
  const { network, podCIDR, folder, commands, clock } = options;
  const names = networkNames(network);
  const gateway = addressAt(parseRange(podCIDR), 1);
  let addresses: Promise<PodAddresses> | undefined;
  const opened = (): Promise<PodAddresses> => {
    addresses ??= (async () => {
      await clock.track(mkdir(folder, { recursive: true }));
      return openPodAddresses({ folder, range: podCIDR, clock });
    })();
    return addresses;
  };

  return {
    gateway,
    async start() {
      await opened();
      if (!(await exists(`/sys/class/net/${names.bridge}`, clock))) {
        await commands.ip("link", "add", names.bridge, "type", "bridge");
      }
      await commands.ipBatch([
        `addr replace ${gateway}/32 dev ${names.bridge}`,
        `link set ${names.bridge} up`,
        // So that this machine's own connections to services have an address to come from.
        `route replace ${network.serviceRange} dev ${names.bridge} src ${gateway}`,
        // What has no pod goes nowhere, instead of out of the machine.
        `route replace unreachable ${network.podRange}`,
      ]);
      await commands.nft(guardOf(network));
      await allowForwarding({ commands, clock });
    },
    async attach(podUid) {
      const address = await (await opened()).assign(podUid);
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
      await removeVeth(names.vethOf(podUid));
      if (await exists(join(namespaceFolder, namespace), clock)) await commands.ip("netns", "del", namespace);
      await (await opened()).release(podUid);
    },
    async attached() {
      return (await opened()).pods();
    },
    async remove() {
      const interfaces = await clock.track(readdir("/sys/class/net"));
      for (const veth of interfaces.filter((name) => name.startsWith(names.vethPrefix)))
        await removeVeth(veth);
      const namespaces = await clock.track(readdir(namespaceFolder)).catch(() => []);
      for (const namespace of namespaces.filter((name) => name.startsWith(names.namespacePrefix))) {
        await commands.ip("netns", "del", namespace);
      }
      if (interfaces.includes(names.bridge)) {
        // Who was killed while it started, or shared the range with another, has not got the route.
        const route = ["unreachable", network.podRange];
        const shown = await commands.ip("route", "show", "type", ...route);
        if (shown !== "") await commands.ip("route", "del", ...route);
        await commands.ip("link", "del", names.bridge);
      }
      for (const table of [names.table, names.guard]) {
        await commands.nft(`add table ip ${table}\ndelete table ip ${table}\n`);
      }
      const isLast = !interfaces.some((name) => isBridge(name) && name !== names.bridge);
      if (isLast) await restoreForwarding({ commands, clock });
      await clock.track(rm(join(folder, "addresses.json"), { force: true }));
      addresses = undefined;
    },
  };

  async function removeVeth(veth: string): Promise<void> {
    if (await exists(`/sys/class/net/${veth}`, clock)) await commands.ip("link", "del", veth);
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
