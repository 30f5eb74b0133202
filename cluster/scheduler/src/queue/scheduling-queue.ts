import { deepEqual, type Clock, type Timer } from "@kedge/machinery";
import type { ClusterEvent } from "../cluster-event.ts";
import { allFilters } from "../filters/all-filters.ts";
import type { Filter, FilterName } from "../filters/types.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { Heap } from "./heap.ts";
import { backoffEnd, isGated, type QueuedPod } from "./queued-pod.ts";
import { UnschedulablePods } from "./unschedulable-pods.ts";

/** What a queue needs. */
export interface SchedulingQueueOptions {
  readonly clock: Clock;
  /** Whether an event may have made a place for a pod that a filter refused. */
  readonly mayHelp: (filter: Filter, event: ClusterEvent, pod: PodInfo) => boolean;
  /** Called when there is something to take. */
  readonly onReady: () => void;
}

/** After so long a pod that nothing has woken is tried all the same. */
const longestWait = 5 * 60_000;
/** So many pods at most are tried before their pause is over when nothing else is to be done. */
const mostEarly = 100;

/**
 * The pods that wait for a node. Those to be tried are ordered by priority. Those that were refused stay aside until
 * something happens that may help them, or five minutes have passed; then they come back, after a pause that grows with
 * each try. When there is nothing else to be done, the pause is cut short.
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #active = new Heap<QueuedPod>(isMoreImportant);
  readonly #backoff = new Heap<QueuedPod>(endsBefore);
  /** The same pods: when pauses are cut short, the most important comes first. */
  readonly #early = new Heap<QueuedPod>(isMoreImportant);
  /** After an error the pause is kept. */
  readonly #errors = new Heap<QueuedPod>(endsBefore);
  readonly #aside = new UnschedulablePods();
  readonly #gated = new Map<string, QueuedPod>();
  readonly #byUid = new Map<string, QueuedPod>();
  #order = 0;
  #timer: { readonly due: number; readonly timer: Timer } | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
  }

  /** A pod that waits, new or changed. */
  put(info: PodInfo): void {
    const known = this.#byUid.get(info.uid);
    if (known === undefined) this.#add(info);
    else this.#update(known, info);
  }

  /** It waits no longer. */
  delete(uid: string): void {
    const queued = this.#byUid.get(uid);
    if (queued === undefined) return;
    this.#byUid.delete(uid);
    this.#remove(queued);
  }

  /** The next pod to be tried. It is not in the queue then. */
  take(): QueuedPod | undefined {
    this.#endPauses();
    const queued = this.#active.pop() ?? this.#takeEarly();
    if (queued !== undefined) this.#byUid.delete(queued.uid);
    return queued;
  }

  /** A pod was tried, and these filters refused it on all nodes. Without filters it waits for whatever comes. */
  refused(queued: QueuedPod, rejectors: ReadonlySet<FilterName>): void {
    queued.refusals++;
    queued.errors = 0;
    queued.rejectors = rejectors;
    this.#enter(queued);
    this.#aside.add(queued);
    this.#setTimer();
  }

  /** Something went wrong: it is tried again after a pause. */
  failed(queued: QueuedPod): void {
    queued.errors++;
    queued.rejectors = new Set();
    this.#enter(queued);
    this.#errors.push(queued);
    this.#setTimer();
  }

  /** Others are being made to leave for a pod: it stays aside until `release`. */
  hold(uid: string): void {
    const queued = this.#byUid.get(uid);
    if (queued !== undefined) queued.isHeld = true;
  }

  /** They were told, or could not be: then it is tried again soon. */
  release(uid: string, outcome: "told" | "failed"): void {
    const queued = this.#byUid.get(uid);
    if (queued === undefined) return;
    queued.isHeld = false;
    if (queued.wasWoken || outcome === "failed") this.#wakeOne(queued);
  }

  /** Something happened: brings back those whom it may help. */
  wake(event: ClusterEvent, except?: (pod: QueuedPod) => boolean): void {
    for (const filter of filtersFor(event.type)) {
      for (const queued of this.#aside.refusedBy(filter.name)) {
        if (except?.(queued) === true) continue;
        if (this.#options.mayHelp(filter, event, queued.info)) this.#wakeOne(queued);
      }
    }
    // Nobody refused them but the lack of anything.
    for (const queued of this.#aside.refusedBy(undefined)) this.#wakeOne(queued);
  }

  /** How many wait: to be tried, in a pause, aside, behind gates. */
  get sizes(): Readonly<Record<"active" | "backoff" | "unschedulable" | "gated", number>> {
    return {
      active: this.#active.size,
      backoff: this.#backoff.size + this.#errors.size,
      unschedulable: this.#aside.size,
      gated: this.#gated.size,
    };
  }

  /** No timer runs any more. */
  stop(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #add(info: PodInfo): void {
    const queued: QueuedPod = {
      uid: info.uid,
      info,
      order: this.#order++,
      since: this.#options.clock.monotonic(),
      refusals: 0,
      errors: 0,
      rejectors: new Set(),
      isHeld: false,
      wasWoken: false,
    };
    this.#byUid.set(info.uid, queued);
    if (isGated(info)) this.#gated.set(info.uid, queued);
    else this.#activate(queued);
  }

  #update(queued: QueuedPod, info: PodInfo): void {
    const previous = queued.info;
    const isActive = this.#active.delete(queued);
    const isPaused = this.#backoff.has(queued);
    if (isPaused) this.#pause(queued, "end");
    queued.info = info;
    if (isActive) this.#activate(queued);
    else if (isPaused) this.#pause(queued, "begin");
    else if (this.#gated.has(queued.uid)) {
      if (isGated(info)) return;
      this.#gated.delete(queued.uid);
      this.#activate(queued);
    } else if (this.#aside.has(queued) && this.#isNews(queued, previous)) this.#wakeOne(queued);
  }

  /** A status that was reported, by us too, is no reason to try again. */
  #isNews({ info, rejectors }: QueuedPod, previous: PodInfo): boolean {
    if (!deepEqual(info.pod.spec, previous.pod.spec)) return true;
    if (deepEqual(info.labels, previous.labels)) return false;
    const event: ClusterEvent = { type: "pod-changed", pod: info, previous };
    return allFilters.some(
      (filter) => rejectors.has(filter.name) && this.#options.mayHelp(filter, event, info),
    );
  }

  #wakeOne(queued: QueuedPod): void {
    if (queued.isHeld) {
      // Its wait begins anew, or it would be woken again and again.
      this.#aside.delete(queued);
      queued.since = this.#options.clock.monotonic();
      queued.wasWoken = true;
      this.#aside.add(queued);
      return;
    }
    this.#aside.delete(queued);
    if (backoffEnd(queued) <= this.#options.clock.monotonic()) {
      this.#activate(queued);
      return;
    }
    this.#pause(queued, "begin");
    this.#setTimer();
    this.#options.onReady();
  }

  #pause(queued: QueuedPod, what: "begin" | "end"): void {
    for (const heap of [this.#backoff, this.#early]) {
      if (what === "begin") heap.push(queued);
      else heap.delete(queued);
    }
  }

  #enter(queued: QueuedPod): void {
    queued.order = this.#order++;
    queued.since = this.#options.clock.monotonic();
    queued.wasWoken = false;
    this.#byUid.set(queued.uid, queued);
  }

  #activate(queued: QueuedPod): void {
    this.#active.push(queued);
    this.#options.onReady();
  }

  #remove(queued: QueuedPod): void {
    this.#active.delete(queued);
    this.#pause(queued, "end");
    this.#errors.delete(queued);
    this.#aside.delete(queued);
    this.#gated.delete(queued.uid);
  }

  #takeEarly(): QueuedPod | undefined {
    const queued = this.#early.size <= mostEarly ? this.#early.pop() : undefined;
    if (queued !== undefined) this.#backoff.delete(queued);
    return queued;
  }

  /** Brings back those whose pause is over, and those that have waited too long. */
  #endPauses(): void {
    const now = this.#options.clock.monotonic();
    for (const heap of [this.#backoff, this.#errors]) {
      for (let next = heap.peek(); next !== undefined && backoffEnd(next) <= now; next = heap.peek()) {
        heap.delete(next);
        this.#early.delete(next);
        this.#active.push(next);
      }
    }
    for (const queued of this.#aside.waitingSince(now - longestWait)) this.#wakeOne(queued);
  }

  /** Wakes up at the end of the next pause or of the longest wait. */
  #setTimer(): void {
    const { clock, onReady } = this.#options;
    const pauses = [this.#backoff.peek(), this.#errors.peek()].flatMap((next) =>
      next === undefined ? [] : [backoffEnd(next)],
    );
    const oldest = this.#aside.oldest;
    const due = Math.min(...pauses, ...(oldest === undefined ? [] : [oldest + longestWait]));
    if (!Number.isFinite(due) || (this.#timer !== undefined && this.#timer.due <= due)) return;
    this.#timer?.timer.cancel();
    const timer = clock.timer(Math.max(due - clock.monotonic(), 0), () => {
      this.#timer = undefined;
      this.#endPauses();
      this.#setTimer();
      onReady();
    });
    this.#timer = { due, timer };
  }
}

function isMoreImportant(one: QueuedPod, other: QueuedPod): boolean {
  const [a, b] = [one.info.priority, other.info.priority];
  return a === b ? one.order < other.order : a > b;
}

function endsBefore(one: QueuedPod, other: QueuedPod): boolean {
  const [a, b] = [backoffEnd(one), backoffEnd(other)];
  return a === b ? isMoreImportant(one, other) : a < b;
}

const byEvent = new Map<ClusterEvent["type"], readonly Filter[]>();

function filtersFor(type: ClusterEvent["type"]): readonly Filter[] {
  const filters = byEvent.get(type) ?? allFilters.filter(({ events }) => events.includes(type));
  byEvent.set(type, filters);
  return filters;
}
