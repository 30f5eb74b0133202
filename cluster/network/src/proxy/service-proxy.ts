import { inBackground, type Clock, type Logger } from "@kedge/machinery";
import { Node, Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { Informers } from "@kedge/runtime";
import type { NetworkCommands } from "../commands.ts";
import { forgetFlows } from "../flows/forget-flows.ts";
import { gatewayOf } from "../gateway.ts";
import { networkNames } from "../names.ts";
import type { ClusterNetwork } from "../types.ts";
import { createHealthChecks, healthChecksOf } from "./health-checks.ts";
import { contentsOf } from "./known-table.ts";
import { rulesetOf, unusedBy, type TableContents } from "./ruleset.ts";
import { serviceFlows } from "./service-flows.ts";
import { servicePorts, type ServicePort } from "./service-ports.ts";

/** What a service proxy is made with. */
export interface ServiceProxyOptions {
  readonly network: ClusterNetwork;
  /** The node that it is on. Default: none, a machine whose nodes are in network namespaces of their own. */
  readonly nodeName?: string | undefined;
  readonly informers: Informers;
  readonly commands: NetworkCommands;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps the machine's rules equal to the cluster's services. */
export interface ServiceProxy {
  /** Resolves when the signal aborts. The rules stay: `PodNetwork.remove` takes them away. */
  run(signal: AbortSignal): Promise<void>;
}

/** Changes that come within this time are one ruleset. */
const batchMs = 20;
const retry = 1000;
const zoneLabel = "topology.kubernetes.io/zone";

/** A proxy for all services of the cluster. */
export function createServiceProxy(options: ServiceProxyOptions): ServiceProxy {
  const { network, nodeName, informers, commands, clock, logger } = options;
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const node =
    nodeName === undefined ? undefined : informers.of(Node, { fieldSelector: `metadata.name=${nodeName}` });
  const checks = createHealthChecks({ address: gatewayOf(network), logger });

  const reportFlows = (error: unknown): void =>
    logger.warn("Datagrams may still go to endpoints that are gone", { error });

  let led: Led | undefined;
  /** Changes nothing when datagrams are led as before; who does not know how, such as one that starts, looks at all. */
  const leadDatagrams = (ports: readonly ServicePort[]): void => {
    const flows = serviceFlows(network, led?.ports ?? [], ports);
    const text = flows.led.join("\n");
    if (text !== led?.text) inBackground(forgetFlows(commands, { services: flows }), reportFlows);
    led = { ports, text };
  };

  /** Gives what was applied, and what there is to delete next time. */
  const apply = async (before: Applied | undefined): Promise<Applied> => {
    const zone = node?.get({ name: nodeName ?? "" })?.metadata.labels?.[zoneLabel];
    const ports = servicePorts(services.list(), slices.list(), { nodeName, zone });
    const ruleset = rulesetOf(network, ports, { isNode: nodeName !== undefined });
    if (ruleset.text === before?.text) return before;
    await commands.nft(before === undefined ? ruleset.anew() : ruleset.again(before.unused));
    leadDatagrams(ports);
    const { text, contents } = ruleset;
    return { text, contents, unused: unusedBy(ruleset, before?.contents ?? nothing) };
  };

  return {
    async run(signal) {
      let changed = Promise.withResolvers<void>();
      const notice = (): void => changed.resolve();
      const endings = [services.onEvent(notice), slices.onEvent(notice)];
      if (node !== undefined) endings.push(node.onEvent(notice));
      signal.addEventListener("abort", notice, { once: true });
      try {
        await Promise.all([services.synced(signal), slices.synced(signal), node?.synced(signal)]);
        const found = await contentsOf(commands, networkNames(network).table);
        if (found === undefined) led = { ports: [], text: "" };
        let applied: Applied | undefined =
          found === undefined ? undefined : { text: "", contents: found, unused: nothing };
        notice();
        while (!signal.aborted) {
          await changed.promise;
          await clock.sleep(batchMs, signal);
          changed = Promise.withResolvers<void>();
          try {
            applied = await apply(applied);
            if (nodeName !== undefined)
              await checks.serve(healthChecksOf(services.list(), slices.list(), nodeName));
          } catch (error) {
            logger.error("The rules for services could not be changed", { error });
            // The next one makes the table anew, whatever is there.
            applied = undefined;
            await clock.sleep(retry, signal);
            notice();
          }
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        for (const end of endings) end();
        signal.removeEventListener("abort", notice);
        await checks.close();
      }
    },
  };
}

/** What the table is like. */
interface Applied {
  readonly text: string;
  readonly contents: TableContents;
  /** What nothing refers to any more. */
  readonly unused: TableContents;
}

/** Where datagrams to services go. */
interface Led {
  readonly ports: readonly ServicePort[];
  /** All of it, to compare. */
  readonly text: string;
}

const nothing: TableContents = { chains: [], memories: [] };
