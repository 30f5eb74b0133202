import type { Clock, Logger } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { Informers } from "@kedge/runtime";
import type { NetworkCommands } from "../commands.ts";
import type { ClusterNetwork } from "../types.ts";
import { rulesetOf } from "./ruleset.ts";
import { servicePorts } from "./service-endpoints.ts";

/** What a service proxy is made with. */
export interface ServiceProxyOptions {
  readonly network: ClusterNetwork;
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

/** A proxy for all services of the cluster. */
export function createServiceProxy(options: ServiceProxyOptions): ServiceProxy {
  const { network, informers, commands, clock, logger } = options;
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  return {
    async run(signal) {
      let changed = Promise.withResolvers<void>();
      const notice = (): void => changed.resolve();
      const endings = [services.onEvent(notice), slices.onEvent(notice)];
      signal.addEventListener("abort", notice, { once: true });
      try {
        await Promise.all([services.synced(signal), slices.synced(signal)]);
        let applied = "";
        notice();
        while (!signal.aborted) {
          await changed.promise;
          await clock.sleep(batchMs, signal);
          changed = Promise.withResolvers<void>();
          const ruleset = rulesetOf(network, servicePorts(services.list(), slices.list()));
          if (ruleset === applied) continue;
          try {
            await commands.nft(ruleset);
            applied = ruleset;
          } catch (error) {
            logger.error("The rules for services could not be changed", { error });
            await clock.sleep(retry, signal);
            notice();
          }
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        for (const end of endings) end();
        signal.removeEventListener("abort", notice);
      }
    },
  };
}
