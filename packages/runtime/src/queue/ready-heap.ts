/** What stands in a `ReadyHeap`, which keeps `index`. */
export interface HeapEntry {
  readonly key: string;
  /** `Clock.monotonic()` of when the wait ends. */
  readyAt: number;
  /** Breaks ties: first come, first ready. */
  readonly order: number;
  /** Where it stands in the heap. */
  index: number;
}

/** A binary heap by ready time whose entries can leave or move up from anywhere. */
export class ReadyHeap<T extends HeapEntry> {
  readonly #entries: T[] = [];

  /** The entry that is ready first. */
  get first(): T | undefined {
    return this.#entries[0];
  }

  push(entry: T): void {
    this.#entries.push(entry);
    this.#siftUp(entry, this.#entries.length - 1);
  }

  /** Gives an entry an earlier time. */
  moveUp(entry: T, readyAt: number): void {
    entry.readyAt = readyAt;
    this.#siftUp(entry, entry.index);
  }

  remove(entry: T): void {
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#siftUp(last, entry.index);
    this.#siftDown(last, last.index);
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #siftUp(entry: T, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#entries[parentIndex];
      if (parent === undefined || isBefore(parent, entry)) break;
      this.#place(parent, index);
      index = parentIndex;
    }
    this.#place(entry, index);
  }

  #siftDown(entry: T, from: number): void {
    let index = from;
    for (;;) {
      const child = this.#earlierChild(index);
      if (child === undefined || isBefore(entry, child)) break;
      const childIndex = child.index;
      this.#place(child, index);
      index = childIndex;
    }
    this.#place(entry, index);
  }

  #earlierChild(index: number): T | undefined {
    const left = this.#entries[2 * index + 1];
    const right = this.#entries[2 * index + 2];
    return left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
  }

  #place(entry: T, index: number): void {
    this.#entries[index] = entry;
    entry.index = index;
  }
}

function isBefore(first: HeapEntry, second: HeapEntry): boolean {
  return first.readyAt < second.readyAt || (first.readyAt === second.readyAt && first.order < second.order);
}
