import type { Clock, Timer } from "@kedge/machinery";

/** So long a connection may take to show its first request, and so long it may rest between two, in milliseconds. */
const firstTimeout = 32_000;
const restTimeout = 90_000;

/** Ends connections that hold a place without asking for anything: Kubernetes' own limits, on our clock. */
export class AwaitedRequests {
  readonly #clock: Clock;
  readonly #timers = new Map<object, Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A connection has been opened; `onTimeout` is called when no request has come in time. */
  opened(connection: object, onTimeout: () => void): void {
    this.#wait(connection, firstTimeout, onTimeout);
  }

  /** A whole head of a request has come. */
  came(connection: object): void {
    this.#timers.get(connection)?.cancel();
    this.#timers.delete(connection);
  }

  /** The answer is out: the next request may come. */
  answered(connection: object, onTimeout: () => void): void {
    this.#wait(connection, restTimeout, onTimeout);
  }

  /** The connection is gone. */
  closed(connection: object): void {
    this.came(connection);
  }

  #wait(connection: object, ms: number, onTimeout: () => void): void {
    this.came(connection);
    this.#timers.set(connection, this.#clock.timer(ms, onTimeout));
  }
}
