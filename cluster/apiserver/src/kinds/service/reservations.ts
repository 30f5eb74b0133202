import type { Clock } from "@kedge/machinery";

/**
 * What was given to writes that are still on their way. A write that fails later gives nothing back, so what it had is
 * free again after a while.
 */
export class Reservations<T> {
  readonly #until = new Map<T, number>();

  add(value: T, clock: Clock): void {
    this.#until.set(value, clock.monotonic() + keepMs);
  }

  remove(value: T): void {
    this.#until.delete(value);
  }

  has(value: T, clock: Clock): boolean {
    const until = this.#until.get(value);
    if (until === undefined) return false;
    if (until > clock.monotonic()) return true;
    this.#until.delete(value);
    return false;
  }
}

/** Longer than any write takes. */
const keepMs = 60_000;
