import type { Clock } from "@kedge/machinery";
import { SharedRun } from "./shared-run.ts";
import type { ClientCertificate, Credentials, Identity } from "./types.ts";

/** What a source of identities gave, and how long it is good. */
export interface Renewed {
  readonly identity: Identity;
  /** May it be handed out without asking the source? */
  isFresh(): boolean;
  /** May it be handed out for a while when the source fails? */
  isUsable(): boolean;
}

/** A source of identities, and what it is called in messages. */
export interface RenewingOptions {
  readonly clock: Clock;
  readonly what: string;
  renew(signal: AbortSignal): Promise<Renewed>;
}

/**
 * Keeps the identity of a source for as long as it is fresh. However many callers wait, the source is asked once.
 * Equal identities are the same object, so that "refused" and "changed certificate" can be told by reference.
 */
export class RenewingCredentials implements Credentials {
  readonly #options: RenewingOptions;
  #held: Renewed | undefined;
  /** The server answered 401 to what is held. */
  #isRefused = false;
  /** The source was asked again after a 401 and gave the same. */
  #isConfirmed = false;
  /** When the source was last asked. */
  #askedAt = Number.NEGATIVE_INFINITY;
  /** After a failure what is held is used until then. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  #run: SharedRun<Identity> | undefined;

  constructor(options: RenewingOptions) {
    this.#options = options;
  }

  async current(signal?: AbortSignal): Promise<Identity> {
    const held = this.#held;
    if (held !== undefined && this.#mayHandOut(held)) return held.identity;
    if (this.#run === undefined || this.#run.isAbandoned) this.#run = this.#startRun();
    return this.#run.join(signal);
  }

  refused(identity: Identity): boolean {
    // Somebody else's 401 has renewed it already.
    if (this.#held?.identity !== identity) return true;
    const hasBeenAskedLately = this.#options.clock.monotonic() - this.#askedAt < pauseMs;
    // The source insists on what the server refuses: ask it again some time (the user may log in), but not each time.
    if (!this.#isConfirmed || !hasBeenAskedLately) this.#isRefused = true;
    return !this.#isConfirmed;
  }

  #mayHandOut(held: Renewed): boolean {
    if (this.#isRefused) return false;
    return held.isFresh() || (held.isUsable() && this.#options.clock.monotonic() < this.#quietUntil);
  }

  #startRun(): SharedRun<Identity> {
    const run: SharedRun<Identity> = new SharedRun(this.#options.what, async (signal) => {
      try {
        return await this.#renew(signal);
      } finally {
        if (this.#run === run) this.#run = undefined;
      }
    });
    return run;
  }

  async #renew(signal: AbortSignal): Promise<Identity> {
    const { clock } = this.#options;
    this.#askedAt = clock.monotonic();
    try {
      return this.#hold(await this.#options.renew(signal));
    } catch (error) {
      const held = this.#held;
      if (held === undefined || this.#isRefused || !held.isUsable()) throw error;
      this.#quietUntil = clock.monotonic() + pauseMs;
      return held.identity;
    }
  }

  #hold(renewed: Renewed): Identity {
    const before = this.#held?.identity;
    const identity = reuse(before, renewed.identity);
    this.#held = { ...renewed, identity };
    this.#isConfirmed = identity === before && (this.#isRefused || this.#isConfirmed);
    this.#isRefused = false;
    return identity;
  }
}

/** How long a source that failed, or that insists on a refused identity, is left alone, in milliseconds. */
const pauseMs = 10_000;

function reuse(before: Identity | undefined, after: Identity): Identity {
  const isSameCertificate = sameCertificate(before?.clientCertificate, after.clientCertificate);
  if (before === undefined || !isSameCertificate) return after;
  if (before.authorization === after.authorization) return before;
  return before.clientCertificate === undefined
    ? after
    : { ...after, clientCertificate: before.clientCertificate };
}

function sameCertificate(one: ClientCertificate | undefined, other: ClientCertificate | undefined): boolean {
  return one?.certificate === other?.certificate && one?.key === other?.key;
}
