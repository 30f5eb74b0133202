import type { Clock } from "@kedge/machinery";
import { LruMap } from "./lru-map.ts";
import type { EventNote, EventSubject } from "./types.ts";

/** Something that happened, ready to be written. */
export interface CorrelatedEvent {
  /** What equal events have in common. */
  readonly key: string;
  /** The note's own, or that of the group that it has become part of. */
  readonly message: string;
}

/** client-go's numbers. */
const mostKeys = 4096;
const similarForOne = 10;
const similarWithinMs = 600_000;
const burst = 25;
const refillMs = 300_000;

interface Similar {
  /** Messages that differ, up to as many as make a group. */
  readonly messages: Set<string>;
  lastTime: number;
}

interface Bucket {
  tokens: number;
  /** `Clock.monotonic()` up to which it was refilled. */
  refilledAt: number;
}

/**
 * Keeps floods away from the server. Events that differ in nothing are one event, counted. Ten in ten minutes that
 * differ only in their messages become one. An object may have 25 at once from one source, then one in five minutes.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new LruMap<string, Similar>(mostKeys);
  readonly #buckets = new LruMap<string, Bucket>(mostKeys);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is to be written for a note; undefined when its object has had too many. */
  correlate(subject: EventSubject, note: EventNote): CorrelatedEvent | undefined {
    const object = `${subjectKey(subject)}${note.reporter ?? ""}`;
    const type = note.type ?? "Normal";
    if (!this.#isAllowed(JSON.stringify([object, type]))) return undefined;
    const group = JSON.stringify([object, type, note.reason, note.action ?? note.reason]);
    if (this.#isOneOfMany(group, note.message)) {
      return { key: group, message: `(combined from similar events): ${note.message}` };
    }
    return { key: `${group}${note.message}`, message: note.message };
  }

  #isOneOfMany(group: string, message: string): boolean {
    const now = this.#clock.monotonic();
    const known = this.#similar.get(group);
    const isFresh = known !== undefined && now - known.lastTime <= similarWithinMs;
    const similar = isFresh ? known : { messages: new Set<string>(), lastTime: now };
    similar.lastTime = now;
    if (similar.messages.size < similarForOne) similar.messages.add(message);
    this.#similar.set(group, similar);
    return similar.messages.size >= similarForOne;
  }

  #isAllowed(source: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(source) ?? { tokens: burst, refilledAt: now };
    const refilled = Math.floor((now - bucket.refilledAt) / refillMs);
    bucket.tokens = Math.min(burst, bucket.tokens + refilled);
    bucket.refilledAt = bucket.tokens === burst ? now : bucket.refilledAt + refilled * refillMs;
    this.#buckets.set(source, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

/** Names one object over all time. */
function subjectKey({ apiVersion, kind, metadata, fieldPath }: EventSubject): string {
  return JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name, metadata.uid, fieldPath]);
}
