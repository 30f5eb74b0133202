import type { Client } from "@kedge/client";
import {
  formatMicroTime,
  ifFound,
  isAlreadyExists,
  isConflict,
  isNotFound,
  messageOf,
  type Clock,
  type DeepReadonly,
  type Logger,
  type Random,
} from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { Switch } from "../informer/switch.ts";
import { heldLease, judgeLease, releasedLease, type SeenLease } from "./judge-lease.ts";
import { LeadershipError } from "./leadership-error.ts";
import type { LeaderElection } from "./types.ts";

/** What leadership is won with. */
export interface LeadershipOptions {
  readonly election: LeaderElection;
  /** Not one that is fenced by this leadership. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Candidates ask at moments that differ: up to so much later than `retryMs`. */
const jitter = 0.2;

/** One candidate for a Lease, from its first try to the release. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #election: Required<LeaderElection>;
  readonly #won = new Switch();
  readonly #lost = new AbortController();
  #until = 0;
  #lease: DeepReadonly<Lease> | undefined;
  #seen: SeenLease | undefined;
  #holder: string | undefined;

  constructor(options: LeadershipOptions) {
    const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2000 } = options.election;
    if (!(retryMs > 0 && renewMs > retryMs * (1 + jitter) && leaseMs > renewMs)) {
      throw new RangeError(
        `leader election: leaseMs (${leaseMs}) must be more than renewMs (${renewMs}), and that more than retryMs (${retryMs}) × ${1 + jitter}`,
      );
    }
    this.#options = options;
    this.#election = { ...options.election, leaseMs, renewMs, retryMs };
  }

  /** Until when, on the monotonic clock, we may write. Before that no other candidate can have taken the Lease. */
  get until(): number {
    return this.#until;
  }

  /** Aborts when leadership is lost or given back. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isLeader(): boolean {
    return this.#won.isOn && !this.#lost.signal.aborted;
  }

  /** Resolves when we lead. */
  won(signal: AbortSignal): Promise<void> {
    return this.#won.wait(signal);
  }

  /** Wins the Lease and keeps it until the signal aborts, then gives it back. Rejects when it is lost before. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      if (!(await this.#campaign(signal))) return;
      this.#won.turnOn();
      await this.#keep(signal);
      await this.#release();
    } finally {
      this.#until = 0;
      this.#won.fail(new LeadershipError("ENDED", this.#election));
      if (!this.#lost.signal.aborted) this.#lost.abort(new LeadershipError("ENDED", this.#election));
    }
  }

  async #campaign(signal: AbortSignal): Promise<boolean> {
    const { clock, random, logger } = this.#options;
    while (!signal.aborted) {
      try {
        if (await this.#tryToLead(signal)) return true;
      } catch (error) {
        if (!signal.aborted) logger.warn("The Lease cannot be asked for", this.#about(messageOf(error)));
      }
      const pause = this.#election.retryMs * (1 + jitter * random.next());
      await clock.sleep(pause, signal).catch(() => undefined);
    }
    return false;
  }

  /** Renews until the signal aborts. What fails is tried again for as long as nobody else can have taken the Lease. */
  async #keep(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    logger.info("We lead", this.#about());
    while (!signal.aborted) {
      using deadline = clock.deadline(Math.max(0, this.#until - clock.monotonic()), signal);
      // Not renewed in time: nothing may be sent from that very moment.
      deadline.signal.addEventListener("abort", () => this.#loseUnless(signal.aborted), { once: true });
      await clock.sleep(this.#election.retryMs, deadline.signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (!(await this.#tryToLead(deadline.signal))) this.#loseUnless(false);
      } catch (error) {
        if (!this.#lost.signal.aborted)
          logger.warn("The Lease was not renewed", this.#about(messageOf(error)));
      }
      this.#lost.signal.throwIfAborted();
    }
  }

  #loseUnless(isOver: boolean): void {
    if (isOver || this.#lost.signal.aborted) return;
    this.#until = 0;
    this.#lost.abort(new LeadershipError("LOST", this.#election, this.#holder));
  }

  /** Takes or renews the Lease. False when it is another's; a leader that is told true need not have renewed it. */
  async #tryToLead(signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#options;
    const { namespace, name, identity, leaseMs, renewMs } = this.#election;
    const leases = client.of(Lease);
    const options = { signal, timeout: Math.max(1000, renewMs / 2) };
    // Who leads writes what it knows; only when somebody has written meanwhile is the Lease read.
    const found = this.#until > 0 ? this.#lease : await ifFound(leases.get({ namespace, name }, options));
    const judgement = judgeLease(found?.spec, {
      identity,
      since: this.#sinceWhen(found),
      now: clock.monotonic(),
    });
    if (judgement.type === "wait") {
      this.#tellHolder(judgement.holder);
      return false;
    }
    // From before it is sent: others count from when it has arrived.
    const begin = clock.monotonic();
    const spec = heldLease(found?.spec, { identity, leaseMs, now: formatMicroTime(clock.now()) });
    try {
      this.#lease =
        found === undefined
          ? await leases.create({ metadata: { namespace, name }, spec }, options)
          : await leases.replace({ ...found, spec }, options);
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return this.#isStillOurs(signal);
      // Somebody has deleted it: it is made again.
      if (isNotFound(error)) this.#lease = undefined;
      throw error;
    }
    this.#until = begin + renewMs;
    return true;
  }

  /** Somebody else has written the Lease: perhaps not its holder. */
  async #isStillOurs(signal: AbortSignal): Promise<boolean> {
    if (this.#until === 0) return false;
    const { namespace, name, identity, renewMs } = this.#election;
    const leases = this.#options.client.of(Lease);
    this.#lease = await ifFound(leases.get({ namespace, name }, { signal, timeout: renewMs / 2 }));
    this.#holder = this.#lease?.spec?.holderIdentity;
    return this.#lease === undefined || this.#holder === identity;
  }

  #sinceWhen(lease: DeepReadonly<Lease> | undefined): number {
    const now = this.#options.clock.monotonic();
    const version = lease?.metadata.resourceVersion ?? "";
    if (this.#seen?.version !== version) this.#seen = { version, since: now };
    return this.#seen.since;
  }

  #tellHolder(holder: string): void {
    if (this.#holder === holder) return;
    this.#holder = holder;
    this.#options.logger.info("Another leads; we stand by", { ...this.#about(), holder });
  }

  /** A failure costs the next leader the lease's time, and nothing else. */
  async #release(): Promise<void> {
    const { client, clock, logger } = this.#options;
    if (this.#lease === undefined) return;
    const spec = releasedLease(this.#lease.spec ?? {}, formatMicroTime(clock.now()));
    const timeout = Math.max(1, this.#until - clock.monotonic());
    this.#until = 0;
    try {
      await client.of(Lease).replace({ ...this.#lease, spec }, { timeout });
    } catch (error) {
      logger.warn("The Lease was not given back; others wait until it ends", this.#about(messageOf(error)));
    }
  }

  #about(why?: string): Readonly<Record<string, string>> {
    const { namespace, name, identity } = this.#election;
    return { lease: `${namespace}/${name}`, identity, ...(why !== undefined && { why }) };
  }
}
