/** A heap from which any element can be taken, not only the first. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #places = new Map<T, number>();
  readonly #isBefore: (one: T, other: T) => boolean;

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  has(item: T): boolean {
    return this.#places.has(item);
  }

  /** The one before all others. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#put(item, this.#items.length);
    this.#rise(this.#items.length - 1);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.delete(first);
    return first;
  }

  /** True when it was there. Elements must not change their order while they are in here. */
  delete(item: T): boolean {
    const place = this.#places.get(item);
    if (place === undefined) return false;
    this.#places.delete(item);
    const last = this.#items.pop();
    if (last === undefined || last === item) return true;
    this.#put(last, place);
    this.#rise(place);
    this.#sink(this.#places.get(last) ?? place);
    return true;
  }

  #rise(from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.#swapIfBefore(place, above)) return;
      place = above;
    }
  }

  #sink(from: number): void {
    let place = from;
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const [one, other] = [this.#items[left], this.#items[right]];
      if (one === undefined) return;
      const below = other !== undefined && this.#isBefore(other, one) ? right : left;
      if (!this.#swapIfBefore(below, place)) return;
      place = below;
    }
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const [below, above] = [this.#items[lower], this.#items[upper]];
    if (below === undefined || above === undefined || !this.#isBefore(below, above)) return false;
    this.#put(below, upper);
    this.#put(above, lower);
    return true;
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#places.set(item, place);
  }
}
