import type { History } from "./server-facts.ts";

/** A point in a stream of writes. */
export interface HistoryPoint {
  readonly id: string;
  readonly offset: number;
}

/** How one history stands to another. */
export type HistoryRelation = "same" | "ahead" | "behind" | "diverged";

/** Whether a server has had all writes up to a point. */
export function reaches(history: History, { id, offset }: HistoryPoint): boolean {
  if (history.id === id) return history.offset >= offset;
  // The second id is good for what came before the offset at which the first one began.
  return history.secondId === id && offset < history.secondOffset;
}

/** How `one` stands to `other`: `ahead` has all of the other's writes and more. */
export function compareHistories(one: History, other: History): HistoryRelation {
  const isAhead = reaches(one, other);
  const isBehind = reaches(other, one);
  if (isAhead && isBehind) return "same";
  if (isAhead) return "ahead";
  return isBehind ? "behind" : "diverged";
}
