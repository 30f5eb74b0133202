/** What one chunk weighs beyond its bytes, so that very many tiny chunks count too. */
const chunkOverhead = 64;

/** How much waits for a slow reader, unless told otherwise. */
const defaultLimit = 256 * 1024;

/**
 * Hands chunks of bytes from one producer to one reader. It never loses a chunk and never refuses one: the producer
 * waits for `room()` after a push, so that what is buffered stays near the limit. Leaving the iteration early is
 * `discard()`: what still comes is dropped, and the producer is not held up.
 */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #limit: number;
  #chunks: Uint8Array[] = [];
  /** The first of `#chunks` that has not been read: shifting an array with very many chunks is slow. */
  #head = 0;
  #weight = 0;
  #state: "open" | "ended" | "discarded" = "open";
  #failure: Error | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeProducers: (() => void)[] = [];

  constructor(limit: number = defaultLimit) {
    this.#limit = limit;
  }

  /** Whether the producer should wait for `room()` before it pushes more. */
  get full(): boolean {
    return this.#state === "open" && this.#weight >= this.#limit;
  }

  /** Adds a chunk. The queue keeps it as it is: the producer must not write into it any more. */
  push(chunk: Uint8Array): void {
    if (this.#state !== "open") return;
    this.#chunks.push(chunk);
    this.#weight += chunk.length + chunkOverhead;
    this.#wakeReader?.();
  }

  /** Resolves when the queue is not full (any more), and when nobody will read it again. */
  room(): Promise<void> {
    if (!this.full) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wakeProducers.push(resolve);
    });
  }

  /** No more chunks will come; the reader gets those that wait, then the failure if there is one. */
  end(failure?: Error): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    this.#failure = failure;
    this.#wakeAll();
  }

  /** Like `end`, but the reader does not get the chunks that wait. */
  abort(failure: Error): void {
    if (this.#state === "discarded") return;
    this.#state = "ended";
    this.#failure ??= failure;
    this.#clear();
    this.#wakeAll();
  }

  /** Drops what waits and what is still to come. A reader that waits sees the end. */
  discard(): void {
    this.#state = "discarded";
    this.#failure = undefined;
    this.#clear();
    this.#wakeAll();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#take();
        if (chunk !== undefined) yield chunk;
        else if (this.#state === "open") await this.#somethingNew();
        else if (this.#failure === undefined) return;
        else throw this.#failure;
      }
    } finally {
      this.discard();
    }
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#chunks[this.#head];
    if (chunk === undefined) return undefined;
    this.#head += 1;
    this.#weight -= chunk.length + chunkOverhead;
    if (this.#head === this.#chunks.length) this.#clear();
    if (!this.full) this.#wakeProducer();
    return chunk;
  }

  #somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }

  #clear(): void {
    this.#chunks = [];
    this.#head = 0;
    this.#weight = 0;
  }

  #wakeAll(): void {
    this.#wakeReader?.();
    this.#wakeProducer();
  }

  #wakeProducer(): void {
    const waiting = this.#wakeProducers;
    this.#wakeProducers = [];
    for (const wake of waiting) wake();
  }
}
