/** Lets one thing happen at a time, at most so often. Times are milliseconds of whoever asks. */
export class Pace {
  #rate: number;
  /** When the next one may happen. */
  #next = Number.NEGATIVE_INFINITY;

  /** So many a second. 0: none at all. */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /** When the next one may happen; Infinity while none may. */
  get next(): number {
    return this.#rate <= 0 ? Infinity : this.#next;
  }

  /** Whether one may happen now. Then it counts. */
  take(now: number): boolean {
    if (now < this.next) return false;
    this.#next = now + 1000 / this.#rate;
    return true;
  }

  /** Another rate from now on. Who had to wait, waits as long as the new rate says. */
  change(rate: number, now: number): void {
    if (rate === this.#rate) return;
    const mustWait = now < this.next;
    this.#rate = rate;
    this.#next = mustWait && rate > 0 ? now + 1000 / rate : Number.NEGATIVE_INFINITY;
  }
}
