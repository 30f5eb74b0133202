import type { Logger } from "@kedge/machinery";
import type { NetworkCommands } from "../commands.ts";
import { forgetFlows } from "./forget-flows.ts";

/** The flows from and to pods that this node tracks. */
export interface PodFlows {
  /**
   * Forgets what began or ended at an address whose pod is gone: the next one that has it would get packets of flows that
   * were allowed to another. Never rejects: a pod must be able to go.
   */
  forget(address: string): Promise<void>;
}

/** What flows are forgotten with. */
export interface PodFlowsOptions {
  readonly commands: NetworkCommands;
  readonly logger: Logger;
}

/** The flows of a node. All that are to be forgotten while others are, are next, at once: each time all are looked at. */
export function createPodFlows({ commands, logger }: PodFlowsOptions): PodFlows {
  let last = Promise.resolve();
  let next: { readonly addresses: Set<string>; readonly done: Promise<void> } | undefined;

  const forgetNext = async (before: Promise<void>, addresses: ReadonlySet<string>): Promise<void> => {
    await before;
    next = undefined;
    try {
      await forgetFlows(commands, { ends: [...addresses] });
    } catch (error) {
      logger.warn("Flows of pods that are gone may go on", { addresses: [...addresses], error });
    }
  };

  return {
    forget(address) {
      if (next === undefined) {
        const addresses = new Set<string>();
        last = forgetNext(last, addresses);
        next = { addresses, done: last };
      }
      next.addresses.add(address);
      return next.done;
    },
  };
}
