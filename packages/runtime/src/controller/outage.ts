import { ClientError, type ClientErrorCode } from "@kedge/client";
import { StatusError, type Clock } from "@kedge/machinery";

const codes: ReadonlySet<ClientErrorCode> = new Set([
  "UNREACHABLE",
  "CONNECTION_LOST",
  "CERTIFICATE",
  "EXEC_PLUGIN",
  "DEADLINE",
]);

/** No credentials that count, too many requests, not now, not in time. */
const statuses = new Set([401, 429, 503, 504]);

/** Whether a failure says something of the way to the API server, and nothing of the object. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ClientError) return codes.has(error.code);
  return error instanceof StatusError && statuses.has(error.code);
}

const firstMs = 500;
const longestMs = 5000;

/** How long all workers of a controller wait for a server that does not answer. */
export class OutagePause {
  readonly #clock: Clock;
  #nextMs = firstMs;
  #until = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to wait before the server is tried again. */
  get isOn(): boolean {
    return this.#until > this.#clock.monotonic();
  }

  /** Whether this is the first failure since something went well. */
  get isNew(): boolean {
    return this.#nextMs === firstMs;
  }

  /** One more failure. Gives the milliseconds after which the server is tried again. */
  failed(): number {
    const now = this.#clock.monotonic();
    if (now < this.#until) return this.#until - now;
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, longestMs);
    this.#until = now + ms;
    return ms;
  }

  /** The server answers. */
  ended(): void {
    this.#nextMs = firstMs;
    this.#until = -Infinity;
  }

  /** Resolves when the server may be tried, or the signal aborts. */
  async over(signal: AbortSignal): Promise<void> {
    const ms = this.#until - this.#clock.monotonic();
    if (ms > 0) await this.#clock.sleep(ms, signal).catch(() => undefined);
  }
}
