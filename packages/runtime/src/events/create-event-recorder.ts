import { ClientError, type Client } from "@kedge/client";
import {
  findCause,
  formatTime,
  isNotFound,
  messageOf,
  silentLogger,
  StatusError,
  uid,
  type Clock,
  type Draft,
  type Logger,
  type Random,
} from "@kedge/machinery";
import { Event } from "@kedge/machinery/kinds/core/v1";
import { EventCorrelator } from "./event-correlator.ts";
import { LruMap } from "./lru-map.ts";
import type { EventNote, EventRecorder, EventSubject } from "./types.ts";

/** What a recorder needs. */
export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Who reports. */
  readonly component: string;
  /** Which of several that do. Default: the component. */
  readonly instance?: string;
  /** Once it aborts, what is not written is given up. */
  readonly signal?: AbortSignal;
}

/** More are dropped: some ten megabytes. A thousand pods that come up at once have three thousand to tell. */
const mostWaiting = 10_000;
/** So many are written at a time: few, as they are worth less than what they tell of. */
const lanes = 8;
/** client-go's numbers. */
const mostKnown = 4096;
const tries = 12;
const retryMs = 10_000;
/** For one call: a recorder must not hold up the end of its process. */
const callMs = 10_000;

/** Records events of one component. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new BackgroundRecorder(options);
}

interface Waiting {
  /** What equal events have in common. */
  readonly key: string;
  readonly event: Draft<Event> & { readonly metadata: { readonly namespace: string; readonly name: string } };
}

/** What is written one after the other. */
interface Lane {
  readonly waiting: Waiting[];
  /** Of the loop that writes; undefined when nothing waits. */
  writing: Promise<void> | undefined;
}

/** An event that was written, to be counted up. */
interface Written {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
}

class BackgroundRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #logger: Logger;
  readonly #correlator: EventCorrelator;
  /** The events of one object go by one lane, so that they keep their order and equal ones are counted. */
  readonly #lanes: readonly Lane[] = Array.from({ length: lanes }, () => ({
    waiting: [],
    writing: undefined,
  }));
  readonly #written = new LruMap<string, Written>(mostKnown);
  #waiting = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#correlator = new EventCorrelator(options.clock);
  }

  record(subject: EventSubject, note: EventNote): void {
    try {
      this.#enqueue(subject, note);
    } catch (error) {
      this.#lost(note.reason, error);
    }
  }

  async flush(): Promise<void> {
    for (const lane of this.#lanes) {
      while (lane.writing !== undefined) await lane.writing;
    }
  }

  #enqueue(subject: EventSubject, note: EventNote): void {
    if (this.#options.signal?.aborted === true) return;
    const correlated = this.#correlator.correlate(subject, note);
    if (correlated === undefined) {
      this.#logger.debug("An event was dropped: its object has had too many", { reason: note.reason });
      return;
    }
    if (this.#waiting >= mostWaiting) {
      this.#logger.warn("An event was dropped: too many wait to be written", { reason: note.reason });
      return;
    }
    const event = this.#eventOf(subject, { ...note, message: correlated.message });
    const lane = this.#laneOf(subject);
    this.#waiting++;
    lane.waiting.push({ key: correlated.key, event });
    lane.writing ??= this.#writeAll(lane).finally(() => {
      lane.writing = undefined;
    });
  }

  #laneOf({ metadata }: EventSubject): Lane {
    let hash = 0;
    for (const letter of metadata.uid ?? metadata.name) hash = (hash * 31 + letter.charCodeAt(0)) % 65_521;
    const lane = this.#lanes[hash % lanes];
    if (lane === undefined) throw new Error("events: there is no lane for this object");
    return lane;
  }

  async #writeAll({ waiting }: Lane): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await this.#writeOne(next);
      this.#waiting--;
      if (this.#options.signal?.aborted !== true || waiting.length === 0) continue;
      this.#logger.warn("Events were given up: their writer ends", { events: waiting.length });
      this.#waiting -= waiting.length;
      waiting.length = 0;
    }
  }

  /** Tries until it is written, or trying is of no use. */
  async #writeOne(waiting: Waiting): Promise<void> {
    const { clock, random, signal } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#send(waiting);
        return;
      } catch (error) {
        if (attempt >= tries || signal?.aborted === true || !mayHelp(error)) {
          this.#lost(waiting.event.reason, error);
          return;
        }
      }
      // All recorders of a cluster meet the same outage: they should not all come back at once.
      const pause = attempt === 1 ? retryMs * random.next() : retryMs;
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  async #send({ key, event }: Waiting): Promise<void> {
    const written = this.#written.get(key);
    if (written === undefined || !(await this.#countUp(written, event))) {
      await this.#options.client.of(Event).create(event, this.#callOptions());
      this.#written.set(key, { ...keyOf(event), count: 1 });
      return;
    }
    this.#written.set(key, { ...written, count: written.count + 1 });
  }

  /** False when the event is not there any more: the server keeps them for an hour. */
  async #countUp({ namespace, name, count }: Written, event: Waiting["event"]): Promise<boolean> {
    const { lastTimestamp, message } = event;
    const merge = { count: count + 1, lastTimestamp, message };
    try {
      await this.#options.client.of(Event).patch({ namespace, name }, { merge }, this.#callOptions());
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #callOptions() {
    return { timeout: callMs, signal: this.#options.signal };
  }

  #eventOf(subject: EventSubject, note: EventNote): Waiting["event"] {
    const { clock, random } = this.#options;
    const component = note.reporter ?? this.#options.component;
    const instance = this.#options.instance ?? component;
    const { apiVersion, kind, metadata, fieldPath } = subject;
    const time = formatTime(clock.now());
    const nanoseconds = BigInt(Math.trunc(clock.now())) * 1_000_000n + BigInt(random.int(1_000_000));
    return {
      // Events of what lives in no namespace are kept in this one.
      metadata: {
        namespace: metadata.namespace ?? "default",
        name: `${metadata.name.slice(0, longestName)}.${nanoseconds.toString(16)}`,
      },
      involvedObject: {
        apiVersion,
        kind,
        name: metadata.name,
        namespace: metadata.namespace,
        uid: metadata.uid === undefined ? undefined : uid(metadata.uid),
        resourceVersion: metadata.resourceVersion,
        fieldPath,
      },
      type: note.type ?? "Normal",
      reason: note.reason,
      message: shortened(note.message),
      action: note.action ?? note.reason,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }

  #lost(reason: string | undefined, error: unknown): void {
    // A namespace that goes takes no events any more; nobody would read them.
    const isGoing = findCause(error, "NamespaceTerminating") !== undefined || isNotFound(error);
    const why = messageOf(error);
    this.#logger[isGoing ? "debug" : "warn"]("An event could not be recorded", { reason, why });
  }
}

function keyOf({ metadata }: Waiting["event"]): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace, name: metadata.name };
}

/** A server that is away or overloaded may come back; one that refuses will refuse again. */
function mayHelp(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500;
  return error instanceof ClientError && error.code !== "ABORTED" && error.code !== "USAGE";
}

/** With the time after it, as much as a name may have. */
const longestName = 230;

/** The server takes no more. */
const longestMessage = 1024;

function shortened(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}
