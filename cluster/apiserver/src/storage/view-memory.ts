/** Keeps what was made of object versions, up to a number of bytes: that which was used last. */
export class ViewMemory {
  readonly #budget: number;
  readonly #kept = new Map<Sized, () => void>();
  #size = 0;

  constructor(budget: number = defaultBudget) {
    this.#budget = budget;
  }

  /** Something has been looked at. `forget` is called when there is no more room for it. */
  used(version: Sized, forget: () => void): void {
    if (this.#kept.delete(version)) this.#size -= costOf(version);
    this.#kept.set(version, forget);
    this.#size += costOf(version);
    for (const [oldest, forgetOldest] of this.#kept) {
      if (this.#size <= this.#budget) return;
      this.#kept.delete(oldest);
      this.#size -= costOf(oldest);
      forgetOldest();
    }
  }
}

interface Sized {
  readonly size: number;
}

const defaultBudget = 32 * 1024 * 1024;

/** A tree takes about four times its JSON, an encoded line takes it once more. */
function costOf({ size }: Sized): number {
  return 1024 + 5 * size;
}
