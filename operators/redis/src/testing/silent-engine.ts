import type { Clock } from "@kedge/machinery";
import { RedisFailure } from "../engine/failure.ts";
import type { Engine } from "../engine/types.ts";
import { Pulse } from "../pulse/pulse.ts";

/** Nobody answers, as of pods that are simulated. */
export const silentEngine: Engine = {
  server: (address) => ({
    address,
    call: () => Promise.reject(new RedisFailure("UNREACHABLE", `${address.host}: nobody is there`)),
    onLost: () => undefined,
    [Symbol.dispose]: () => undefined,
  }),
};

/** Looks at nobody. */
export function silentPulse(clock: Clock): Pulse {
  return new Pulse(silentEngine, clock);
}
