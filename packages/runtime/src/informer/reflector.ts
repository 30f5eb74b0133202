import type { ResourceClient, Selection, WatchEvent } from "@kedge/client";
import {
  findCause,
  isBadRequest,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  type Clock,
  type Logger,
  type Random,
  type Scope,
  type StoredObject,
} from "@kedge/machinery";
import { RetryPause } from "./retry-pause.ts";
import { NoInitialEvents, readInitialEvents } from "./initial-events.ts";

/** What a reflector tells about a kind's objects. */
export interface ReflectorSink {
  /** Called before a list is asked for; the result comes back with it. */
  mark(): number;
  /** Everything that there is. */
  replaced(objects: readonly StoredObject[], resourceVersion: string, mark: number): void;
  upserted(object: StoredObject): void;
  removed(object: StoredObject): void;
  /** Everything up to this version has been told. */
  progressed(resourceVersion: string): void;
  /** An attempt failed. */
  failed(why: string): void;
  /** The server agreed to go on from where we stood. It may still break its word at once. */
  opened(): void;
  /** An attempt ended as they do, even if there was nothing to tell. */
  went(): void;
  /** The server does not know the kind. Absent: that is a failure like others. */
  unserved?(): void;
}

/** What a reflector needs. */
export interface ReflectorOptions {
  readonly resource: Pick<ResourceClient<StoredObject, Scope>, "list" | "watch">;
  readonly selection: Selection;
  readonly sink: ReflectorSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** An attempt that lived this long was a success, however it ended. */
const healthyMs = 60_000;
/** Between attempts that the server answers, each up to twice as long by chance. */
const steadyMs = 800;
/** Before the second question for a kind that the server does not know: it may just be installed. Doubles up to `steadyMs`. */
const firstUnknownMs = 50;
/** Between questions for a kind that the server need not know. */
const unservedMs = 2500;
/** A stream that ends earlier, without an event, is as good as a failure. */
const veryShortMs = 1000;
/** Servers send a bookmark a minute: a stream that is silent for longer is dead, whatever the connection says. */
const silenceMs = 90_000;

/**
 * Tells a sink what there is and what changes, until the signal aborts; then it returns. Nothing else ends it: whatever
 * fails is tried again, from where it stood, or by a new list when the server has forgotten that.
 */
export async function reflect(options: ReflectorOptions, signal: AbortSignal): Promise<void> {
  const reflector = new Reflector(options);
  while (!signal.aborted) await reflector.attempt(signal);
}

class Reflector {
  readonly #options: ReflectorOptions;
  readonly #pause: RetryPause;
  /** Where a watch may go on. Undefined: everything must be read first. */
  #resourceVersion: string | undefined;
  /** Whether the server can send what exists as the beginning of a watch; `next time` when it only did not in time. */
  #canStream: boolean | "next time" = true;
  #events = 0;
  /** Whether the attempt before this one was over at once, too. */
  #wasShort = false;
  #unknownMs = firstUnknownMs;
  /** The failure that was logged last, while it stays the same. */
  #told = "";

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#pause = new RetryPause(options.random);
  }

  /** Reads until something ends it, then waits as long as that calls for. */
  async attempt(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const begin = clock.monotonic();
    const resumed = this.#resourceVersion !== undefined;
    this.#events = 0;
    let failure: unknown;
    try {
      await this.#read(signal);
    } catch (error) {
      failure = error;
    }
    if (signal.aborted) return;
    const lived = clock.monotonic() - begin;
    if (lived >= healthyMs) this.#pause.reset();
    const isShort = lived < veryShortMs;
    // With events it is fine once; a server that ignores where we stand would be asked without end.
    const isFine =
      lived >= healthyMs || (failure === undefined && (!isShort || (this.#events > 0 && !this.#wasShort)));
    this.#wasShort = isShort;
    if (this.#isRefusal(failure)) {
      this.#canStream = failure instanceof NoInitialEvents ? "next time" : false;
      return;
    }
    if (this.#isUnserved(failure)) {
      this.#resourceVersion = undefined;
      this.#options.sink.unserved?.();
    }
    const forgotten = mustList(failure);
    if (forgotten) this.#resourceVersion = undefined;
    this.#tell(failure, isFine);
    // A server that only forgot where we stood has answered: what it has is read at once.
    const retryMs = isFine || (resumed && forgotten) ? 0 : this.#waitFor(failure);
    this.#log(failure, retryMs);
    if (retryMs > 0) await clock.sleep(retryMs, signal).catch(() => undefined);
  }

  /**
   * Who may not read a kind yet, or not until it is defined, has an answer: it asks again every second or two, and at
   * first sooner for one that is not defined, since operators and their kinds are often started together.
   */
  #waitFor(failure: unknown): number {
    const isAnswer = failure === undefined ? this.#events > 0 : isNotFound(failure) || isForbidden(failure);
    if (!isAnswer) return this.#pause.next();
    const pauseMs = isNotFound(failure) ? this.#pauseUntilDefined(failure) : steadyMs;
    return pauseMs * (1 + this.#options.random.next());
  }

  #pauseUntilDefined(failure: unknown): number {
    if (this.#isUnserved(failure)) return unservedMs;
    const ms = this.#unknownMs;
    this.#unknownMs = Math.min(ms * 2, steadyMs);
    return ms;
  }

  async #read(signal: AbortSignal): Promise<void> {
    if (this.#resourceVersion === undefined && this.#canStream === true) {
      await this.#streamAll(signal);
      return;
    }
    if (this.#resourceVersion === undefined) await this.#list(signal);
    await this.#watch(signal);
  }

  /** What exists and what changes, in one stream. */
  async #streamAll(signal: AbortSignal): Promise<void> {
    const { resource, selection, sink, clock } = this.#options;
    const mark = sink.mark();
    const open = (inner: AbortSignal): AsyncIterable<WatchEvent<StoredObject>> =>
      resource.watch({ ...selection, ...this.#streamOptions(inner), sendInitialEvents: true });
    await readInitialEvents(
      open,
      { clock, signal },
      {
        initial: (objects, resourceVersion) => {
          this.#events += objects.length;
          sink.replaced(objects, resourceVersion, mark);
          this.#resourceVersion = resourceVersion;
          this.#told = "";
        },
        event: (event) => this.#take(event),
      },
    );
  }

  /** Read from the newest state, never from an older one that a cache of the server may have: time must not go back. */
  async #list(signal: AbortSignal): Promise<void> {
    const { resource, selection, sink } = this.#options;
    const mark = sink.mark();
    const { items, metadata } = await resource.list({ ...selection, signal }).all();
    const { resourceVersion = "" } = metadata;
    sink.replaced(items, resourceVersion, mark);
    this.#resourceVersion = resourceVersion;
    if (this.#canStream === "next time") this.#canStream = true;
    this.#told = "";
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { resource, selection, sink } = this.#options;
    const resourceVersion = this.#resourceVersion;
    const onOpen = (): void => sink.opened();
    const options = { ...selection, ...this.#streamOptions(signal), resourceVersion, onOpen };
    for await (const event of resource.watch(options)) this.#take(event);
  }

  /** Streams end at different times, or all would be opened again at once. */
  #streamOptions(signal: AbortSignal) {
    return { signal, idleTimeout: silenceMs, timeoutSeconds: 300 + this.#options.random.int(301) };
  }

  #take(event: WatchEvent<StoredObject>): void {
    const { sink } = this.#options;
    if (event.type === "BOOKMARK") {
      this.#resourceVersion = event.resourceVersion;
      sink.progressed(event.resourceVersion);
      return;
    }
    this.#events++;
    const { resourceVersion } = event.object.metadata;
    if (event.type === "DELETED") sink.removed(event.object);
    else sink.upserted(event.object);
    this.#resourceVersion = resourceVersion;
    sink.progressed(resourceVersion);
  }

  /** Whether the server does not know how to begin a watch with what exists. */
  #isRefusal(failure: unknown): boolean {
    if (this.#canStream !== true || this.#resourceVersion !== undefined) return false;
    return isBadRequest(failure) || isInvalid(failure) || failure instanceof NoInitialEvents;
  }

  #tell(failure: unknown, isFine: boolean): void {
    if (isFine) this.#options.sink.went();
    else if (failure !== undefined && !this.#isUnserved(failure)) this.#options.sink.failed(whyOf(failure));
  }

  #isUnserved(failure: unknown): boolean {
    return isNotFound(failure) && this.#options.sink.unserved !== undefined;
  }

  #log(error: unknown, retryMs: number): void {
    if (error === undefined) return;
    const { namespace } = this.#options.selection;
    const why = whyOf(error);
    const fields = { namespace, retryMs: Math.round(retryMs), why };
    const { logger } = this.#options;
    if (this.#isUnserved(error))
      logger[why === this.#told ? "debug" : "info"]("The server does not know this kind", fields);
    else if (mustList(error)) logger.info("Reading everything again: the server forgot our version", fields);
    else logger[why === this.#told ? "debug" : "warn"]("A watch failed", fields);
    this.#told = why;
  }
}

/** The server has forgotten our version, or does not know it yet because it was set back. */
function mustList(failure: unknown): boolean {
  return isExpired(failure) || findCause(failure, "ResourceVersionTooLarge") !== undefined;
}

function whyOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : "it threw something that is no error";
}
