import type { Clock, Timer } from "@kedge/machinery";
import type { Resource } from "../registry/types.ts";
import type { Selection } from "../request/selection.ts";
import type { EventType, ObjectVersion } from "../storage/object-version.ts";
import type { CacheEvent, ResourceCache } from "../storage/resource-cache.ts";
import type { Storage } from "../storage/storage.ts";

/** How events are written. */
export interface EventWriter {
  object(type: EventType, version: ObjectVersion): Uint8Array;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
}

/** Where a watch begins, what it sees and when it ends. */
export interface WatchPlan {
  readonly storage: Storage;
  readonly cache: ResourceCache;
  readonly clock: Clock;
  readonly resource: Resource;
  readonly prefix: string;
  readonly selection: Selection;
  readonly writer: EventWriter;
  /** Objects that are shown as ADDED first. */
  readonly initial: readonly ObjectVersion[];
  /** Whether a bookmark ends the initial events. */
  readonly initialBookmark: boolean;
  /** The place in the cache's history where live events begin. */
  readonly place: number;
  /** Events up to this revision are not shown. */
  readonly after: number;
  readonly bookmarks: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Calls back when the resource is not served any more. */
  readonly onUnserved: (end: () => void) => () => void;
}

const bookmarkInterval = 60_000;
/** The last one comes so long before the watch ends by itself, so that its reader can go on from there. */
const lastBookmark = 2_000;
/** Events are joined into chunks of about this size. */
const chunkBytes = 64 * 1024;

/**
 * A watch as the body of an answer. It holds no events of its own, only a place in the history that all watches share:
 * a reader that is too slow for that history is ended, and lists again.
 */
export class WatchStream implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #plan: WatchPlan;
  readonly #timers: Timer[] = [];
  readonly #release: (() => void)[] = [];
  readonly #initial: Iterator<ObjectVersion>;
  #initialDone = false;
  #place: number;
  #ended = false;
  #bookmarkDue = false;
  #wake: (() => void) | undefined;

  constructor(plan: WatchPlan) {
    this.#plan = plan;
    this.#place = plan.place;
    this.#initial = plan.initial[Symbol.iterator]();
    this.#timers.push(plan.clock.timer(plan.timeout, () => this.#end()));
    this.#release.push(plan.storage.onProgress(() => this.#wake?.()));
    const abort = (): void => this.#end();
    plan.signal?.addEventListener("abort", abort, { once: true });
    this.#release.push(() => plan.signal?.removeEventListener("abort", abort));
    if (plan.signal?.aborted === true) this.#end();
    this.#release.push(plan.onUnserved(() => this.#end()));
    if (plan.bookmarks) {
      const beforeEnd = Math.max(plan.timeout - lastBookmark, 0);
      this.#scheduleBookmark(Math.min(bookmarkInterval, beforeEnd));
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#ended ? undefined : this.#collect();
      if (chunk !== undefined) return { done: false, value: chunk };
      if (this.#ended || this.#plan.storage.failure !== undefined) {
        this.#end();
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  #end(): void {
    this.#ended = true;
    for (const timer of this.#timers.splice(0)) timer.cancel();
    for (const release of this.#release.splice(0)) release();
    this.#wake?.();
  }

  #scheduleBookmark(after: number): void {
    this.#timers.push(
      this.#plan.clock.timer(after, () => {
        this.#timers.splice(1);
        this.#bookmarkDue = true;
        this.#scheduleBookmark(bookmarkInterval);
        this.#wake?.();
      }),
    );
  }

  /** What can be sent now; undefined when there is nothing. */
  #collect(): Uint8Array | undefined {
    const lines: Uint8Array[] = [];
    let size = 0;
    while (size < chunkBytes) {
      const line = this.#nextInitial() ?? this.#nextLive() ?? this.#nextBookmark();
      if (line === undefined) break;
      lines.push(line);
      size += line.length;
    }
    const [only] = lines;
    return lines.length > 1 ? Buffer.concat(lines) : only;
  }

  #nextInitial(): Uint8Array | undefined {
    if (this.#initialDone) return undefined;
    const { writer, initialBookmark, after } = this.#plan;
    const next = this.#initial.next();
    if (next.done !== true) return writer.object("ADDED", next.value);
    this.#initialDone = true;
    return initialBookmark ? writer.bookmark(after, true) : undefined;
  }

  #nextLive(): Uint8Array | undefined {
    for (;;) {
      const event = this.#plan.cache.eventAt(this.#place);
      if (event === undefined) return undefined;
      if (event === "forgotten") {
        this.#end();
        return undefined;
      }
      this.#place++;
      const line = this.#lineOf(event);
      if (line !== undefined) return line;
    }
  }

  #nextBookmark(): Uint8Array | undefined {
    const { writer, storage, after } = this.#plan;
    if (!this.#bookmarkDue || storage.revision < after) return undefined;
    this.#bookmarkDue = false;
    return writer.bookmark(storage.revision, false);
  }

  /** Selectors turn changes into what they are for this watcher: what begins to match is ADDED, what ends is DELETED. */
  #lineOf({ type, current, previous, revision }: CacheEvent): Uint8Array | undefined {
    const { prefix, after, writer } = this.#plan;
    if (revision <= after || !current.key.startsWith(prefix)) return undefined;
    const was = previous !== undefined && this.#matches(previous);
    const is = type === "put" && this.#matches(current);
    if (is) return writer.object(was ? "MODIFIED" : "ADDED", current);
    if (!was) return undefined;
    return writer.object("DELETED", type === "delete" ? current : previous.deletedAt(revision));
  }

  #matches(version: ObjectVersion): boolean {
    const { selection, resource } = this.#plan;
    return selection.isEverything || selection.matches(version.as(resource).object);
  }
}
