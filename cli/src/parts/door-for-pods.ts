import { once } from "node:events";
import { hasCode, type Clock } from "@kedge/machinery";

/** What a door takes to be opened and closed. */
export interface DoorForPodsOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How often to look whether the address is there. */
const pause = 100;

/**
 * Opens a door on an address that is yet to be given to this machine: the only node of a cluster does so when it starts
 * its network, beside the server. Resolves when the signal has aborted and the door is closed again.
 */
export async function keepDoorForPods(
  open: () => Promise<{ close(): Promise<void> }>,
  { clock, signal }: DoorForPodsOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const door = await open();
      if (!signal.aborted) await once(signal, "abort");
      await door.close();
    } catch (error) {
      if (!hasCode(error, "EADDRNOTAVAIL")) throw error;
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}
