/** Why keys are queued, from the most to the least urgent. Inside a class, first come is first served. */
export const priorities = ["spec-change", "child-change", "retry", "resync", "initial-list"] as const;

/** The class of an entry. `spec-change` says that the object's generation is new, and so ends its back-off. */
export type Priority = (typeof priorities)[number];

/** One reason to queue a key. */
export interface Trigger {
  readonly priority: Priority;
  /** What made us look, such as `Pod default/cache-0`. */
  readonly source: string;
  /** What happened to it, such as `updated`. */
  readonly reason: string;
}

/** Equal triggers of one entry, counted. Times are those of `Clock.now()`. */
export interface Cause {
  readonly source: string;
  readonly reason: string;
  readonly count: number;
  readonly firstTime: number;
  readonly lastTime: number;
}

/** What a worker is given: a key, and why. */
export interface WorkItem {
  readonly key: string;
  /** The most urgent class among its triggers. */
  readonly priority: Priority;
  /** In the order in which they first came; only the first few that differ. */
  readonly causes: readonly Cause[];
  /** How many triggers found no place in `causes`. */
  readonly omittedCauses: number;
}

/**
 * Keys of objects to be reconciled. A key is text (`keyToString` of machinery): equal keys are equal values in a map,
 * and it is what logs and metrics print anyway.
 *
 * A key is never given to two workers at once. However often it is added, it is handed out once; when it is added while
 * a worker has it, once more after `done`.
 */
export interface Queue {
  /** Queues a key, or joins it to its entry: the more urgent class and all causes count. Ignored after shutdown. */
  add(key: string, trigger: Trigger): void;
  /** Waits for the next key; `undefined` when the queue has shut down. Rejects with the signal's reason. */
  get(signal?: AbortSignal): Promise<WorkItem | undefined>;
  /** Ends the work on a key. Due exactly once for each item of `get`, after any `addRateLimited` or `addAfter`. */
  done(key: string): void;
  /** Whether the key has an entry that no longer waits for its time. */
  isReady(key: string): boolean;
  /** `Clock.monotonic()` of when a worker was given the key; `undefined` when none has it. */
  processingSince(key: string): number | undefined;
  /** How many keys are ready to be handed out. */
  readonly depth: number;
  /** Takes no more keys and drops those not handed out; each `get` resolves to `undefined`. */
  shutDown(): void;
  /** Takes no more keys, hands out those that are ready, and resolves when the last one is done. */
  drain(signal?: AbortSignal): Promise<void>;
}

/** A queue whose entries may wait. A key has one entry: the earliest of its times counts. */
export interface DelayingQueue extends Queue {
  /** Queues a key when `ms` milliseconds have passed, or earlier when another add says so. */
  addAfter(key: string, ms: number, trigger: Trigger): void;
  /** Ends the wait of a key, if it has one. */
  expedite(key: string): void;
  /** Whether the key has an entry that waits for its time. */
  isWaiting(key: string): boolean;
  /** How many keys wait. */
  readonly waiting: number;
}

/** A queue that makes keys wait longer each time that they fail. */
export interface RateLimitingQueue extends DelayingQueue {
  /** Queues the key that a worker failed on, after its back-off. Throws when no worker has the key. */
  addRateLimited(key: string, trigger: Trigger): void;
  /** Ends the back-off of a key: it succeeded, or what it failed on has changed (then `add` makes it run at once). */
  forget(key: string): void;
  /** How many failures the back-off of the key counts. */
  failures(key: string): number;
  /** How many keys are in back-off. */
  readonly backingOff: number;
}
