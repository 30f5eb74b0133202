import { StoreError } from "../store-error.ts";
import { applyChanges, undoChanges, type Change, type State } from "./changes.ts";

/** What one transaction changed. */
export interface Commit {
  readonly revision: number;
  readonly changes: readonly Change[];
}

/** A state and the commit that led to it. */
export interface Snapshot extends Commit {
  readonly state: State;
}

/** One state in so many is kept; those between are found by undoing the commits after them. */
const checkpointEvery = 64;

/**
 * All revisions since the last compaction. The newest ones may still be on their way to the disk: transactions build on
 * them (`head`), but readers and watchers see only what is durable.
 */
export class History {
  /** Without gaps: one commit for each revision from the oldest to the head. */
  #commits: Commit[];
  readonly #states = new Map<number, State>();
  #first: number;
  #head: Snapshot;
  #durable: number;

  constructor(oldest: Snapshot) {
    this.#commits = [oldest];
    this.#states.set(oldest.revision, oldest.state);
    this.#first = oldest.revision;
    this.#head = oldest;
    this.#durable = oldest.revision;
  }

  get head(): Snapshot {
    return this.#head;
  }

  get durable(): number {
    return this.#durable;
  }

  /** The oldest revision that can be read. */
  get oldest(): number {
    return this.#first;
  }

  append(changes: readonly Change[]): Commit {
    const revision = this.#head.revision + 1;
    const commit = { revision, changes };
    this.#head = { ...commit, state: applyChanges(this.#head.state, changes) };
    this.#commits.push(commit);
    this.#states.set(revision, this.#head.state);
    return commit;
  }

  /** Shows everything up to a revision. */
  publish(revision: number): void {
    for (; this.#durable < revision; this.#durable++)
      if (this.#durable % checkpointEvery !== 0) this.#states.delete(this.#durable);
  }

  /** Forgets what is not durable, and returns it, the newest first. */
  rollBack(): readonly Commit[] {
    const lost = this.#commits.splice(this.#durable + 1 - this.#first).toReversed();
    for (const { revision } of lost) this.#states.delete(revision);
    this.#head = this.snapshot();
    return lost;
  }

  commit(revision: number): Commit | undefined {
    return this.#commits[revision - this.#first];
  }

  snapshot(revision: number = this.#durable): Snapshot {
    this.check(revision);
    let at = revision;
    // The head's state is always kept.
    while (at < this.#head.revision && !this.#states.has(at)) at++;
    let state = this.#states.get(at);
    for (; at > revision; at--) state = undoChanges(state, this.commit(at)?.changes ?? []);
    return { revision, changes: this.commit(revision)?.changes ?? [], state };
  }

  /** Forgets the commits before a revision, and returns them. */
  compact(revision: number): readonly Commit[] {
    const { state } = this.snapshot(revision);
    for (let old = this.#first; old < revision; old++) this.#states.delete(old);
    this.#states.set(revision, state);
    const dropped = this.#commits.slice(0, revision - this.#first);
    this.#commits = this.#commits.slice(revision - this.#first);
    this.#first = revision;
    return dropped;
  }

  check(revision: number): void {
    if (!Number.isSafeInteger(revision))
      throw new StoreError("INVALID", `revision: ${revision}: must be a whole number`);
    if (revision > this.#durable)
      throw new StoreError(
        "FUTURE_REVISION",
        `revision ${revision} is yet to come: the store is at ${this.#durable}`,
      );
    if (!(revision >= this.#first)) throw compacted(revision, this.#first);
  }
}

/** What is said of a revision that is gone. */
export function compacted(revision: number, oldest: number): StoreError {
  return new StoreError("COMPACTED", `revision ${revision} has been compacted: the oldest kept is ${oldest}`);
}
