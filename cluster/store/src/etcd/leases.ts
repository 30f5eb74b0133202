import type { Random } from "@kedge/machinery";
import { StoreError } from "../store-error.ts";
import type { Lease } from "../types.ts";
import { leaseGrantRequest, leaseRequest, readLease } from "./messages.ts";
import type { EtcdCall } from "./range-reader.ts";

/** Leases, whose time etcd counts: in seconds, and no fewer than two of them. */
export class EtcdLeases {
  readonly #call: EtcdCall;
  readonly #random: Random;

  constructor(call: EtcdCall, random: Random) {
    this.#call = call;
    this.#random = random;
  }

  async grant(ttl: number): Promise<Lease> {
    if (!(ttl > 0)) throw new StoreError("INVALID", `ttl: ${ttl}: must be greater than 0 milliseconds`);
    // Etcd's own numbers do not fit into ours; 53 bits are enough not to meet.
    const id = this.#random.int(2 ** 21) * 2 ** 32 + this.#random.int(2 ** 32) + 1;
    const message = leaseGrantRequest(id, Math.ceil(ttl / 1000));
    const granted = readLease(
      await this.#call("/etcdserverpb.Lease/LeaseGrant", message, { repeatable: false }),
    );
    return { id, ttl: granted.ttl * 1000 };
  }

  async keepAlive(id: number): Promise<Lease> {
    // A stream of questions and answers, of which we need one.
    const answer = await this.#call("/etcdserverpb.Lease/LeaseKeepAlive", leaseRequest(id), {
      repeatable: true,
    });
    const { ttl } = readLease(answer);
    if (ttl <= 0) throw noSuchLease(id);
    return { id, ttl: ttl * 1000 };
  }

  async revoke(id: number): Promise<void> {
    try {
      await this.#call("/etcdserverpb.Lease/LeaseRevoke", leaseRequest(id), { repeatable: false });
    } catch (error) {
      throw error instanceof StoreError && error.code === "LEASE_NOT_FOUND" ? noSuchLease(id, error) : error;
    }
  }

  /** A lease with the milliseconds that it has left; none when it has run out. */
  async remaining(id: number): Promise<(Lease & { readonly remaining: number }) | undefined> {
    const answer = await this.#call("/etcdserverpb.Lease/LeaseTimeToLive", leaseRequest(id), {
      repeatable: true,
    });
    const { ttl, granted } = readLease(answer);
    return ttl < 0 ? undefined : { id, ttl: granted * 1000, remaining: ttl * 1000 };
  }
}

/** What is said of a lease that is gone. */
export function noSuchLease(id: number | string, cause?: unknown): StoreError {
  return new StoreError("LEASE_NOT_FOUND", `lease ${id} does not exist or has run out`, { cause });
}
