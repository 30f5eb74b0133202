import type { ClientHttp2Session } from "node:http2";
import { inBackground, messageOf, type Clock, type Logger, type Timer } from "@kedge/machinery";
import { StoreError } from "../store-error.ts";
import type { StoreEvent, Watch, WatchBatch } from "../types.ts";
import { GrpcError } from "./grpc-error.ts";
import { GrpcStream } from "./grpc-stream.ts";
import type { Members } from "./members.ts";
import type { KeyRange, ReadKey } from "./messages.ts";
import { readWatch, watchCreateRequest, watchProgressRequest, type WatchResponse } from "./watch-messages.ts";

/** What a watch needs. */
export interface EtcdWatchOptions {
  readonly members: Members;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly range: KeyRange;
  readonly readKey: ReadKey;
  /** The first revision to show. */
  readonly from: Promise<number>;
  /** The newest revision of the cluster. */
  readonly newest: () => Promise<number>;
  readonly onEnd: (watch: EtcdWatch) => void;
}

/** Of events that nobody has read yet, so many bytes are kept; then etcd has to wait. */
const mostBuffered = 16 * 1024 * 1024;
/** A question how far the watch is, is asked again after so many milliseconds: etcd drops it while it catches up. */
const askAgain = 100;
/** Between connections: from this, doubled each time, up to the last, in milliseconds. */
const [firstPause, longestPause] = [50, 2000];

/** A watch of etcd. When its connection breaks it goes on with another where it was: its reader does not notice. */
export class EtcdWatch implements Watch {
  readonly #options: EtcdWatchOptions;
  readonly #batches: WatchBatch[] = [];
  #buffered = 0;
  /** The next revision that etcd has to show us. */
  #next = 0;
  /** Of a revision that goes on in the next message. */
  #fragments: StoreEvent[] = [];
  #stream: GrpcStream | undefined;
  #isCreated = false;
  /** Whether the reader wants a batch, be it empty. */
  #bookmark = false;
  /** The revision that somebody waits for. */
  #wanted = 0;
  #asking: Timer | undefined;
  /** What happened before this is forgotten. */
  #oldest = 0;
  #end: { readonly error: StoreError | undefined } | undefined;
  readonly #stopping = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  #isStarted = false;
  #wake: (() => void) | undefined;

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    inBackground(this.#follow(), (error) =>
      this.end(
        error instanceof StoreError
          ? error
          : new StoreError("FAILED", `the watch failed: ${messageOf(error)}`, { cause: error }),
      ),
    );
  }

  /** Resolves when etcd has begun with it, or could not at the first try: what is written then is shown. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchBatch, undefined>> {
    if (this.#wake !== undefined)
      throw new StoreError("INVALID", "a watch has one reader, which asks for one batch at a time");
    for (;;) {
      if (this.#end?.error !== undefined) {
        const { error } = this.#end;
        this.#end = { error: undefined };
        throw error;
      }
      if (this.#end !== undefined) return { done: true, value: undefined };
      const value = this.#batches.shift();
      if (value !== undefined) {
        this.#buffered -= sizeOf(value);
        if (this.#buffered < mostBuffered) this.#stream?.resume();
        return { done: false, value };
      }
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
    this.#ask();
  }

  /** Asks for progress until a revision is reached, which a store has told somebody of: at once, or if it does not come by itself. */
  expect(revision: number, soon: boolean): void {
    if (revision < this.#next || revision <= this.#wanted) return;
    this.#wanted = revision;
    if (soon) this.#ask();
    else this.#asking ??= this.#options.clock.timer(askAgain / 4, this.#askAgain);
  }

  /** What is before a revision has been forgotten: a reader that has yet to see some of it is not shown half. */
  compacted(revision: number): void {
    this.#oldest = Math.max(this.#oldest, revision);
    const unread = this.#batches.find(({ events }) => events.some((event) => revisionOf(event) < revision));
    if (unread !== undefined) this.end(compactedError(revision));
  }

  /** Ends the watch; the reader is told the error if there is one. */
  end(error?: StoreError): void {
    if (this.#end === undefined) {
      this.#end = { error };
      this.#asking?.cancel();
      this.#stopping.abort();
      this.#stream?.cancel();
      this.#start();
      this.#options.onEnd(this);
    }
    this.#wakeReader();
  }

  #start(): void {
    this.#isStarted = true;
    this.#started.resolve();
  }

  async #follow(): Promise<void> {
    const { clock, logger, from, newest } = this.#options;
    this.#next = await from;
    let pause = firstPause;
    for (let isFirst = true; this.#end === undefined; isFirst = false) {
      try {
        if (!isFirst) this.#checkNewest(await newest());
        await this.#connect(() => (pause = firstPause));
      } catch (error) {
        this.#start();
        if (this.#end !== undefined) return;
        logger.warn("The watch of etcd broke, and goes on with another connection", {
          error,
          from: this.#next,
        });
        try {
          await clock.sleep(pause, this.#stopping.signal);
        } catch {
          return;
        }
        pause = Math.min(pause * 2, longestPause);
      }
    }
  }

  /** An etcd that was put back to an earlier state would go on with revisions that we have seen otherwise. */
  #checkNewest(newest: number): void {
    if (newest >= this.#next - 1) return;
    this.end(
      new StoreError(
        "FAILED",
        `etcd has gone back from revision ${this.#next - 1} to ${newest}: it was put back to an earlier state. Start this server again`,
      ),
    );
  }

  /** Resolves or rejects when the stream has ended. */
  async #connect(onCreated: () => void): Promise<void> {
    if (this.#end !== undefined) return;
    const { members, clock, range, readKey } = this.#options;
    const { session, at } = await members.session();
    // It may have been ended meanwhile.
    if (this.#stopping.signal.aborted) return;
    try {
      await clock.track(
        this.#read(
          session,
          (message) => {
            const response = readWatch(message, readKey);
            if (response.created && !response.canceled) onCreated();
            this.#take(response);
          },
          watchCreateRequest(range, this.#next),
        ),
      );
    } catch (error) {
      if (error instanceof GrpcError) members.leave(at);
      throw error;
    } finally {
      this.#stream = undefined;
      this.#isCreated = false;
      this.#fragments = [];
    }
  }

  #read(session: ClientHttp2Session, take: (message: Uint8Array) => void, first: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = new GrpcStream(session, "/etcdserverpb.Watch/Watch", {
      onMessage: (message) => {
        try {
          take(message);
        } catch (error) {
          stream.cancel();
          reject(error);
        }
      },
      onEnd: (error) => {
        if (error === undefined) resolve();
        else reject(error);
      },
    });
    this.#stopping.signal.addEventListener("abort", () => resolve(), { once: true });
    this.#stream = stream;
    stream.send(first);
    return promise;
  }

  #take(response: WatchResponse): void {
    const { events, created, canceled, compactRevision, cancelReason, fragment, revision } = response;
    if (compactRevision > 0) return this.end(compactedError(compactRevision));
    if (canceled) throw new Error(`etcd ended the watch: ${cancelReason}`);
    if (created) {
      this.#isCreated = true;
      this.#start();
      if (this.#bookmark || this.#wanted >= this.#next) this.#ask();
      return;
    }
    for (const event of events) {
      if (event.type === "lost") return this.end(compactedError(event.modRevision));
      this.#fragments.push(event);
    }
    if (fragment) return;
    const shown = this.#fragments;
    this.#fragments = [];
    const last = shown.at(-1);
    if (last === undefined) this.#reached(revision);
    else this.#show(shown, revisionOf(last));
  }

  #show(events: readonly StoreEvent[], revision: number): void {
    if (events.some((event) => revisionOf(event) < this.#oldest))
      return this.end(compactedError(this.#oldest));
    const batch = { events, revision };
    this.#next = revision + 1;
    this.#batches.push(batch);
    this.#buffered += sizeOf(batch);
    if (this.#buffered >= mostBuffered) this.#stream?.pause();
    this.#wakeReader();
  }

  /** Etcd has nothing more up to a revision. */
  #reached(revision: number): void {
    this.#next = Math.max(this.#next, revision + 1);
    if (this.#wanted < this.#next) {
      this.#asking?.cancel();
      this.#asking = undefined;
    }
    this.#bookmark = false;
    // Told after what came before it, and once.
    if (this.#batches.at(-1)?.events.length === 0) this.#batches.pop();
    this.#batches.push({ revision, events: [] });
    this.#wakeReader();
  }

  #ask(): void {
    if (this.#end !== undefined) return;
    this.#asking?.cancel();
    this.#asking = this.#options.clock.timer(askAgain, this.#askAgain);
    if (this.#isCreated) this.#stream?.send(watchProgressRequest());
  }

  readonly #askAgain = (): void => {
    this.#asking = undefined;
    if (!this.#bookmark && this.#wanted < this.#next) return;
    this.#ask();
    if (this.#bookmark && this.#isCreated) inBackground(this.#answerFuture(), () => undefined);
  };

  /** Of a watch whose first revision is yet to come etcd does not tell the progress. It will be asked again. */
  async #answerFuture(): Promise<void> {
    const newest = await this.#options.newest();
    if (this.#bookmark && newest < this.#next && this.#end === undefined) this.#reached(newest);
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

function compactedError(oldest: number): StoreError {
  return new StoreError(
    "COMPACTED",
    `what the watch has yet to show has been compacted: the oldest kept is ${oldest}`,
  );
}

function revisionOf(event: StoreEvent): number {
  return event.type === "put" ? event.current.modRevision : event.modRevision;
}

function sizeOf({ events }: WatchBatch): number {
  let size = 0;
  for (const event of events)
    size +=
      200 + (event.type === "put" ? event.current.value.length : 0) + (event.previous?.value.length ?? 0);
  return size;
}
