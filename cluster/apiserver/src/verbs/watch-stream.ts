import type { Clock, Timer, Turns } from "@kedge/machinery";
import type { Resource } from "../registry/types.ts";
import type { Selection } from "../request/selection.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import type { EventType, ObjectVersion, ObjectView } from "../storage/object-version.ts";
import type { CacheEvent, ResourceCache } from "../storage/resource-cache.ts";
import type { Storage } from "../storage/storage.ts";

/** How events are written. */
export interface EventWriter {
  object(type: EventType, view: ObjectView): Uint8Array;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
}

/** Where a watch begins, what it sees and when it ends. */
export interface WatchPlan {
  readonly storage: Storage;
  readonly cache: ResourceCache;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly resource: Resource;
  readonly prefix: string;
  readonly selection: Selection;
  readonly writer: EventWriter;
  /** Objects that are shown as ADDED first, if they match. */
  readonly initial: Iterable<ObjectVersion>;
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
/** So many bytes of objects are looked at before others have their turn, and each counts as so many more. */
const sliceBytes = 256 * 1024;
const perEvent = 256;
/** So many versions of objects a webhook converts before they are shown. */
const convertedAtOnce = 100;

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
  /** The first place whose event a webhook has not converted, where one does that. */
  #convertedTo = 0;
  /** Bytes looked at since others had their turn. */
  #looked = 0;
  #wake: (() => void) | undefined;

  constructor(plan: WatchPlan) {
    this.#plan = plan;
    this.#place = plan.place;
    this.#initial = plan.initial[Symbol.iterator]();
    this.#timers.push(plan.clock.timer(plan.timeout, () => this.#end()));
    this.#release.push(plan.cache.onEvent((event) => this.#notice(event)));
    // Also when nobody reads it: its timers would hold the whole server.
    this.#release.push(plan.storage.onEnd(() => this.#end()));
    const abort = (): void => this.#end();
    plan.signal?.addEventListener("abort", abort, { once: true });
    this.#release.push(() => plan.signal?.removeEventListener("abort", abort));
    this.#release.push(plan.onUnserved(() => this.#end()));
    if (plan.bookmarks) {
      // A watch that ends sooner has none before its end.
      const beforeEnd = plan.timeout > lastBookmark ? plan.timeout - lastBookmark : bookmarkInterval;
      this.#scheduleBookmark(Math.min(bookmarkInterval, beforeEnd));
    }
    if (plan.signal?.aborted === true || plan.storage.failure !== undefined) this.#end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      if (this.#looked > sliceBytes) {
        await this.#plan.turns.next();
        this.#looked = 0;
      }
      if (!this.#ended && this.#plan.resource.converter !== undefined) await this.#convert();
      const chunk = this.#ended ? undefined : this.#collect();
      if (chunk !== undefined) return { done: false, value: chunk };
      if (this.#looked > sliceBytes) continue;
      if (this.#ended) {
        this.#end();
        return { done: true, value: undefined };
      }
      if (this.#isBehind) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  /** Lets a webhook convert the next events. When it does not, the watch ends: its reader lists, and is told why. */
  async #convert(): Promise<void> {
    const { cache, resource, prefix } = this.#plan;
    const versions: ObjectVersion[] = [];
    let place = this.#place;
    for (; versions.length < convertedAtOnce; place++) {
      const event = cache.eventAt(place);
      if (event === undefined) break;
      if (event === "forgotten") {
        this.#end();
        return;
      }
      if (!event.current.key.startsWith(prefix)) continue;
      versions.push(event.current, ...(event.previous === undefined ? [] : [event.previous]));
    }
    try {
      await convertVersions(versions, resource);
      this.#convertedTo = place;
    } catch {
      this.#end();
    }
  }

  /** Whether events have come that nobody has converted yet. */
  get #isBehind(): boolean {
    const { cache, resource } = this.#plan;
    return resource.converter !== undefined && cache.eventAt(this.#place) !== undefined;
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Wakes a watch that waits. One of another node's pods is passed by: there may be as many watches as nodes. */
  #notice(event: CacheEvent): void {
    if (this.#wake === undefined) return;
    const isNext = this.#plan.cache.eventAt(this.#place) === event;
    if (isNext && !this.#mayConcern(event)) this.#place++;
    else this.#wake();
  }

  #mayConcern({ current, previous }: CacheEvent): boolean {
    const { text } = this.#plan.selection;
    return text === undefined || current.hasText(text) || previous?.hasText(text) === true;
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
      const wasInitialDone = this.#initialDone;
      const line = this.#initialDone ? (this.#nextLive() ?? this.#nextBookmark()) : this.#nextInitial();
      if (line === undefined) {
        // The initial events have ended without one: on with what is live.
        if (this.#initialDone && !wasInitialDone) continue;
        break;
      }
      lines.push(line);
      size += line.length;
    }
    const [only] = lines;
    return lines.length > 1 ? Buffer.concat(lines) : only;
  }

  #nextInitial(): Uint8Array | undefined {
    const { writer, initialBookmark, after, resource } = this.#plan;
    while (this.#looked <= sliceBytes) {
      const next = this.#initial.next();
      if (next.done === true) {
        this.#initialDone = true;
        return initialBookmark ? writer.bookmark(after, true) : undefined;
      }
      this.#looked += next.value.size + perEvent;
      const view = next.value.inPassing(resource);
      if (this.#matches(next.value, () => view)) return writer.object("ADDED", view);
    }
    return undefined;
  }

  #nextLive(): Uint8Array | undefined {
    const isConverted = this.#plan.resource.converter !== undefined;
    while (this.#looked <= sliceBytes) {
      if (isConverted && this.#place >= this.#convertedTo) return undefined;
      const event = this.#plan.cache.eventAt(this.#place);
      if (event === undefined) return undefined;
      if (event === "forgotten") {
        this.#end();
        return undefined;
      }
      this.#place++;
      this.#looked += event.current.size + perEvent;
      const line = this.#lineOf(event);
      if (line !== undefined) return line;
    }
    return undefined;
  }

  #nextBookmark(): Uint8Array | undefined {
    const { writer, storage, after } = this.#plan;
    // A bookmark promises that all before it was shown.
    if (!this.#bookmarkDue || this.#isBehind || storage.revision < after || this.#looked > sliceBytes)
      return undefined;
    this.#bookmarkDue = false;
    return writer.bookmark(storage.revision, false);
  }

  /** Selectors turn changes into what they are for this watcher: what begins to match is ADDED, what ends is DELETED. */
  #lineOf({ type, current, previous, revision }: CacheEvent): Uint8Array | undefined {
    const { prefix, after, writer, resource } = this.#plan;
    if (revision <= after || !current.key.startsWith(prefix)) return undefined;
    const was = previous !== undefined && this.#matches(previous, () => previous.as(resource));
    const is = type === "put" && this.#matches(current, () => current.as(resource));
    if (is) return writer.object(was ? "MODIFIED" : "ADDED", current.as(resource));
    if (!was) return undefined;
    const last = type === "delete" ? current : previous.deletedAt(revision);
    return writer.object("DELETED", last.as(resource));
  }

  #matches(version: ObjectVersion, view: () => ObjectView): boolean {
    const { selection } = this.#plan;
    if (selection.isEverything) return true;
    if (selection.text !== undefined && !version.hasText(selection.text)) return false;
    return version.contains(selection.traces) && selection.matches(view().object);
  }
}
