import type { Transport } from "@kedge/client";
import type { Clock } from "@kedge/machinery";
import { LeadershipError } from "./leadership-error.ts";
import type { LeaderElection } from "./types.ts";

/** What a fence asks of leadership. */
export interface Fence {
  /** On the monotonic clock. */
  readonly until: number;
  readonly lost: AbortSignal;
}

/** Passes reads on. Writes only before the leader's deadline; those under way when leadership is lost are aborted. */
export function fenceTransport(
  transport: Transport,
  {
    fence,
    election,
    clock,
  }: { readonly fence: Fence; readonly election: LeaderElection; readonly clock: Clock },
): Transport {
  const check = (): void => {
    fence.lost.throwIfAborted();
    if (clock.monotonic() >= fence.until) throw new LeadershipError("NOT_LEADER", election);
  };
  return {
    async request(request) {
      if (request.method === "GET" || request.method === "HEAD") return await transport.request(request);
      check();
      const { signal } = request;
      const signals = signal === undefined ? [fence.lost] : [signal, fence.lost];
      return await transport.request({ ...request, signal: AbortSignal.any(signals) });
    },
    async upgrade(request) {
      check();
      return await transport.upgrade(request);
    },
    close: () => transport.close(),
  };
}
