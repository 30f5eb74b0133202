import type { Clock } from "@kedge/machinery";

/** In seconds. */
const longest = 32;

/**
 * When those who are refused may come again: after a second, and twice as late each time that more than three a second
 * were refused since; a second sooner when it were less than one.
 */
export class RetryAfter {
  readonly #clock: Pick<Clock, "monotonic">;
  /** How many were refused in which second, oldest first: of half a minute at most. */
  #history: { readonly second: number; count: number }[] = [];
  #seconds = 1;
  #raised = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Somebody is refused: may come again in so many seconds. */
  refuse(): number {
    const second = Math.floor(this.#clock.monotonic() / 1000);
    const last = this.#history.at(-1);
    if (last?.second === second) last.count++;
    else {
      this.#adjust(second);
      this.#history = this.#history.filter((each) => second - each.second <= longest);
      this.#history.push({ second, count: 1 });
    }
    return this.#seconds;
  }

  #adjust(now: number): void {
    const refused = this.#history
      .filter(({ second }) => now - second <= this.#seconds)
      .reduce((sum, { count }) => sum + count, 0);
    if (refused >= 3 * this.#seconds && now - this.#raised >= this.#seconds) {
      this.#seconds = Math.min(longest, 2 * this.#seconds);
      this.#raised = now;
    } else if (refused < this.#seconds && this.#seconds > 1) this.#seconds--;
  }
}
