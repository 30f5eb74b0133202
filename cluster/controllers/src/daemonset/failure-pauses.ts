/** How long failed pods of a place wait before they are replaced: a second, and twice as long each time. */
export interface FailurePauses {
  /** Milliseconds that are left. */
  left(place: string, now: number): number;
  /** A failed pod is replaced now: the next waits longer. */
  replaced(place: string, now: number): void;
}

const first = 1000;
const longest = 15 * 60_000;
/** More places than this are not remembered: the oldest are forgotten. */
const most = 10_000;

/** Remembers in memory. What has been quiet for twice the longest pause begins anew. */
export function createFailurePauses(): FailurePauses {
  const pauses = new Map<string, { readonly ms: number; readonly since: number }>();
  const get = (place: string, now: number) => {
    const pause = pauses.get(place);
    return pause !== undefined && now - pause.since <= 2 * longest ? pause : undefined;
  };
  return {
    left: (place, now) => {
      const pause = get(place, now);
      return pause === undefined ? 0 : Math.max(0, pause.since + pause.ms - now);
    },
    replaced: (place, now) => {
      const before = get(place, now);
      pauses.delete(place);
      pauses.set(place, { ms: before === undefined ? first : Math.min(before.ms * 2, longest), since: now });
      const [oldest] = pauses.keys();
      if (pauses.size > most && oldest !== undefined) pauses.delete(oldest);
    },
  };
}
