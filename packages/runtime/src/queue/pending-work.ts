import { priorities, type Cause, type Priority, type Trigger, type WorkItem } from "./types.ts";

/** How many causes that differ an entry keeps; the rest are only counted. */
export const maxCauses = 8;

/** What a key's entry has gathered until a worker takes it. */
export class PendingWork {
  #priority: Priority;
  readonly #causes: Cause[] = [];
  #omitted = 0;

  constructor(trigger: Trigger, now: number) {
    this.#priority = trigger.priority;
    this.record(trigger, now);
  }

  get priority(): Priority {
    return this.#priority;
  }

  record({ priority, source, reason }: Trigger, now: number): void {
    this.#priority = moreUrgent(this.#priority, priority);
    this.#keep({ source, reason, count: 1, firstTime: now, lastTime: now });
  }

  absorb(other: PendingWork): void {
    this.#priority = moreUrgent(this.#priority, other.#priority);
    for (const cause of other.#causes) this.#keep(cause);
    this.#omitted += other.#omitted;
  }

  toItem(key: string): WorkItem {
    return { key, priority: this.#priority, causes: this.#causes, omittedCauses: this.#omitted };
  }

  #keep(cause: Cause): void {
    const at = this.#causes.findIndex(
      ({ source, reason }) => source === cause.source && reason === cause.reason,
    );
    const known = this.#causes[at];
    if (known !== undefined) this.#causes[at] = joined(known, cause);
    else if (this.#causes.length < maxCauses) this.#causes.push(cause);
    else this.#omitted += cause.count;
  }
}

/** Whether the first class goes before the second. */
export function isMoreUrgent(first: Priority, second: Priority): boolean {
  return priorities.indexOf(first) < priorities.indexOf(second);
}

function moreUrgent(first: Priority, second: Priority): Priority {
  return isMoreUrgent(second, first) ? second : first;
}

function joined(first: Cause, second: Cause): Cause {
  return {
    source: first.source,
    reason: first.reason,
    count: first.count + second.count,
    firstTime: Math.min(first.firstTime, second.firstTime),
    lastTime: Math.max(first.lastTime, second.lastTime),
  };
}
