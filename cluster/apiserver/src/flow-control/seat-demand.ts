import type { Clock } from "@kedge/machinery";

/** How much of its demand of ten seconds ago a level still has: half of it after five minutes. */
const decay = 0.977;

/** How many seats a level needs: those in use and those that are waited for, over a time. */
export class SeatDemand {
  readonly #clock: Pick<Clock, "monotonic">;
  #now = 0;
  #most = 0;
  #began: number;
  #changed: number;
  /** Of the seats, and of their square, over the milliseconds of the period. */
  #sum = 0;
  #squares = 0;
  #smoothed = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#began = this.#changed = clock.monotonic();
  }

  set(seats: number): void {
    this.#add();
    this.#now = seats;
    this.#most = Math.max(this.#most, seats);
  }

  /** Ends a period: the most that was needed in it, and what is likely to be needed in the next. Begins another. */
  end(): { readonly most: number; readonly likely: number } {
    this.#add();
    const ms = this.#changed - this.#began;
    const average = ms > 0 ? this.#sum / ms : this.#now;
    const variance = ms > 0 ? this.#squares / ms - average * average : 0;
    const envelope = average + Math.sqrt(Math.max(0, variance));
    this.#smoothed = Math.max(envelope, decay * this.#smoothed + (1 - decay) * envelope);
    const result = { most: this.#most, likely: this.#smoothed };
    this.#begin();
    return result;
  }

  /** As if nothing had been needed until now. */
  forget(): void {
    this.#add();
    this.#smoothed = 0;
    this.#begin();
  }

  #begin(): void {
    this.#began = this.#changed;
    this.#sum = this.#squares = 0;
    this.#most = this.#now;
  }

  #add(): void {
    const now = this.#clock.monotonic();
    const ms = now - this.#changed;
    this.#changed = now;
    this.#sum += this.#now * ms;
    this.#squares += this.#now * this.#now * ms;
  }
}
