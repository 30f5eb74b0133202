import type { Clock } from "@kedge/machinery";
import { dialTcp } from "./dial-tcp.ts";
import { KeptServer } from "./kept-server.ts";
import type { Dialer, Engine } from "./types.ts";

/** How servers are reached. */
export interface EngineOptions {
  readonly clock: Clock;
  /** Default: over TCP. */
  readonly dial?: Dialer;
  /** For a call that says nothing else. Default 1 s: a server that takes longer to say PONG serves nobody. */
  readonly timeoutMs?: number;
  /** Of one reply. Default 1 MiB: INFO has some kilobytes. */
  readonly mostReplyBytes?: number;
}

/** Servers over connections that are kept. */
export function createEngine({
  clock,
  dial = dialTcp,
  timeoutMs = 1000,
  mostReplyBytes = 1024 * 1024,
}: EngineOptions): Engine {
  return {
    server: (address, login, { isOneConnection = false } = {}) =>
      new KeptServer(address, login, { clock, dial, timeoutMs, mostReplyBytes, isOneConnection }),
  };
}
