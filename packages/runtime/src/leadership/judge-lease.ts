import type { DeepReadonly } from "@kedge/machinery";
import type { LeaseSpec } from "@kedge/machinery/kinds/coordination/v1";

type Spec = DeepReadonly<LeaseSpec>;

/** A Lease as it was seen, and when it was first seen like this. */
export interface SeenLease {
  /** Changes with each write to the Lease. */
  readonly version: string;
  /** On our own monotonic clock. */
  readonly since: number;
}

/** What a candidate may do about a Lease. */
export type Judgement =
  | { readonly type: "take" }
  | { readonly type: "wait"; readonly holder: string; readonly ms: number };

/**
 * Whether a Lease may be taken. A holder is silent when the Lease has not changed for as long as the holder said, by our
 * own clock: two clocks are never compared.
 */
export function judgeLease(
  spec: Spec | undefined,
  { identity, since, now }: { readonly identity: string; readonly since: number; readonly now: number },
): Judgement {
  const holder = spec?.holderIdentity ?? "";
  if (holder === "" || holder === identity) return { type: "take" };
  const left = since + (spec?.leaseDurationSeconds ?? 0) * 1000 - now;
  return left <= 0 ? { type: "take" } : { type: "wait", holder, ms: left };
}

/** The Lease that says we lead. `now` is a MicroTime. */
export function heldLease(
  spec: Spec | undefined,
  { identity, leaseMs, now }: { readonly identity: string; readonly leaseMs: number; readonly now: string },
): LeaseSpec {
  const isOurs = spec?.holderIdentity === identity;
  const transitions = spec?.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: (isOurs ? spec.acquireTime : undefined) ?? now,
    renewTime: now,
    leaseTransitions: isOurs || spec === undefined ? transitions : transitions + 1,
  };
}

/** The Lease that says nobody leads: the next candidate need not wait. */
export function releasedLease(spec: Spec, now: string): LeaseSpec {
  return {
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: spec.leaseTransitions ?? 0,
  };
}
