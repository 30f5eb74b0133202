import { realClock } from "@kedge/machinery";
import { StoreError, type Store, type Watch } from "@kedge/store";
import { until } from "../../real/wait.ts";

/**
 * Writers that count up, each in a key of its own and only from what they know is there, and a watcher beside them. What
 * was acknowledged is written down: in the end it must be there, and the watcher must have seen it in order.
 */
export class Ledger {
  readonly #store: Store;
  readonly #watch: Watch;
  readonly #stopping = new AbortController();
  /** Of each key, the last value that was acknowledged, and the last that was tried. */
  readonly #written = new Map<string, { acknowledged: number; tried: number }>();
  readonly #seen = new Map<string, number>();
  readonly #faults: string[] = [];
  #count = 0;
  #writers: readonly Promise<unknown>[] = [];
  #watcher: Promise<unknown> = Promise.resolve();
  #revision = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#watch = store.watch({ prefix: "/ledger/" }, { from: 2 });
  }

  start(writers: number): void {
    this.#writers = Array.from({ length: writers }, (_, i) => this.#write(`/ledger/${i}`));
    this.#watcher = this.#follow();
  }

  /** Resolves when so many more writes have been acknowledged. */
  async acknowledged(more: number): Promise<void> {
    const wanted = this.#count + more;
    await until(`${more} more writes are acknowledged`, async () => this.#count >= wanted);
  }

  /** Ends the writers, and lets the watcher see the last of it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#writers);
    this.#revision = await this.#store.revision();
    this.#watch.progress();
    await this.#watcher;
  }

  /** What was lost, came twice, or came in another order. */
  async faults(): Promise<readonly string[]> {
    for (const [key, { acknowledged, tried }] of this.#written) {
      const stored = Number(Buffer.from((await this.#store.get(key))?.value ?? []).toString());
      if (stored < acknowledged)
        this.#faults.push(`${key}: ${acknowledged} was acknowledged, ${stored} is there`);
      if (stored > tried) this.#faults.push(`${key}: ${stored} is there, nobody wrote more than ${tried}`);
      const seen = this.#seen.get(key) ?? 0;
      if (seen !== stored) this.#faults.push(`${key}: the watch ended at ${seen}, ${stored} is there`);
    }
    return this.#faults;
  }

  async #write(key: string): Promise<void> {
    const own = { acknowledged: 0, tried: 0 };
    this.#written.set(key, own);
    while (!this.#stopping.signal.aborted) {
      try {
        const found = await this.#store.get(key);
        const next = Number(Buffer.from(found?.value ?? []).toString()) + 1;
        own.tried = Math.max(own.tried, next);
        const { succeeded } = await this.#store.transaction({
          compare: [{ key, modRevision: found?.modRevision ?? 0 }],
          success: [{ type: "put", key, value: Buffer.from(String(next)) }],
        });
        if (!succeeded) continue;
        own.acknowledged = next;
        this.#count++;
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== "UNAVAILABLE") throw error;
        await realClock.sleep(20);
      }
    }
  }

  async #follow(): Promise<void> {
    for await (const { events, revision } of this.#watch) {
      for (const event of events) {
        if (event.type !== "put") continue;
        const { key, value } = event.current;
        const [before, now] = [this.#seen.get(key) ?? 0, Number(Buffer.from(value).toString())];
        if (now !== before + 1) this.#faults.push(`${key}: the watch showed ${now} after ${before}`);
        this.#seen.set(key, now);
      }
      if (this.#revision > 0 && revision >= this.#revision) return;
    }
  }
}
