import { StoreError } from "../store-error.ts";
import type { Span, StoreEvent, Watch, WatchBatch } from "../types.ts";
import { keyOfChange } from "./changes.ts";
import { compacted, type History } from "./history.ts";
import { isInSpan } from "./range.ts";

/** A batch is closed after this many events, at the end of a transaction. */
const fullBatch = 500;

/** A place in the history that one reader moves on. It buffers nothing: the history is the buffer. */
export class SpanWatch implements Watch {
  readonly #history: History;
  readonly #span: Span;
  readonly #onEnd: (watch: SpanWatch) => void;
  /** The next revision to look at. */
  #next: number;
  #bookmark = false;
  #end: { readonly error: StoreError | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(history: History, span: Span, from: number, onEnd: (watch: SpanWatch) => void) {
    this.#history = history;
    this.#span = span;
    this.#next = from;
    this.#onEnd = onEnd;
    if (!Number.isSafeInteger(from))
      this.end(new StoreError("INVALID", `from: ${from}: must be a whole number`));
    if (from < history.oldest) this.end(compacted(from, history.oldest));
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchBatch, undefined>> {
    if (this.#wake !== undefined)
      throw new StoreError("INVALID", "a watch has one reader, which asks for one batch at a time");
    for (;;) {
      if (this.#end !== undefined) return this.#finish(this.#end.error);
      const value = this.#batch();
      if (value !== undefined) return { done: false, value };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  progress(): void {
    this.#bookmark = true;
    this.wake();
  }

  /** To be called when there is more to see. */
  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** To be called before the commits up to a revision are dropped: ends the watch if it has yet to show any of them. */
  beforeCompaction(revision: number): void {
    for (; this.#next < revision; this.#next++) {
      if (this.#eventsOf(this.#next).length > 0) {
        this.end(compacted(this.#next, revision));
        return;
      }
    }
  }

  /** Ends the watch; the reader is told the error if there is one. */
  end(error?: StoreError): void {
    this.#end ??= { error };
    this.#onEnd(this);
    this.wake();
  }

  #finish(error: StoreError | undefined): IteratorReturnResult<undefined> {
    this.#end = { error: undefined };
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  #batch(): WatchBatch | undefined {
    const { durable } = this.#history;
    const events: StoreEvent[] = [];
    while (this.#next <= durable && events.length < fullBatch)
      for (const event of this.#eventsOf(this.#next++)) events.push(event);
    if (events.length === 0 && !this.#bookmark) return undefined;
    this.#bookmark = false;
    return { revision: Math.min(this.#next - 1, durable), events };
  }

  #eventsOf(revision: number): readonly StoreEvent[] {
    const changes = this.#history.commit(revision)?.changes ?? [];
    return changes.filter((change) => isInSpan(this.#span, keyOfChange(change)));
  }
}
