import type { Random } from "@kedge/machinery";

/** client-go's numbers: 0.8 s, doubled up to 30 s, each up to twice as long by chance. */
const firstMs = 800;
const longestMs = 30_000;

/** How long to wait between attempts that fail: longer each time, and never the same for all who wait. */
export class RetryPause {
  readonly #random: Random;
  #nextMs = firstMs;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, longestMs);
    return ms * (1 + this.#random.next());
  }

  /** It went well for a while. */
  reset(): void {
    this.#nextMs = firstMs;
  }
}
