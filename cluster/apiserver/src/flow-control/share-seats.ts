import type { PriorityLevel } from "./types.ts";

/** How many requests a level may serve at a time. */
export interface SeatBounds {
  /** By its shares. */
  readonly nominal: number;
  /** What nobody may borrow. */
  readonly least: number;
  /** With all that it may borrow. */
  readonly most: number;
}

/** The bounds of each level, of so many seats in all. Rounded up: each has one if it has a share at all. */
export function boundsOf(levels: readonly PriorityLevel[], seats: number): readonly SeatBounds[] {
  const all = levels.reduce((sum, { shares }) => sum + shares, 0);
  return levels.map(({ shares, lendablePercent, borrowingLimitPercent }) => {
    const nominal = all === 0 ? 0 : Math.ceil((seats * shares) / all);
    const lendable = Math.round((nominal * lendablePercent) / 100);
    const borrowable =
      borrowingLimitPercent === undefined ? seats : Math.round((nominal * borrowingLimitPercent) / 100);
    return { nominal, least: nominal - lendable, most: nominal + borrowable };
  });
}

/** A level that gets seats: at least and at most so many, and in proportion to `wanted` between. */
export interface Claim {
  readonly least: number;
  readonly most: number;
  readonly wanted: number;
}

/** No claim is nothing: what nobody wants is given in proportion, too. */
const smallest = 0.001;

/**
 * Divides seats so that all are given: each claim gets the same part of what it wants, but for those that have their
 * least or their most. When there are too few even for that, each has its least; too many, its most.
 */
export function shareSeats(seats: number, claims: readonly Claim[]): readonly number[] {
  const given = (part: number): readonly number[] =>
    claims.map(({ least, most, wanted }) =>
      Math.max(least, Math.min(most, part * Math.max(wanted, smallest))),
    );
  const sum = (part: number): number => given(part).reduce((all, each) => all + each, 0);
  // The sum grows with the part, in straight lines between these.
  const bends = claims
    .flatMap(({ least, most, wanted }) => [least, most].map((bound) => bound / Math.max(wanted, smallest)))
    .toSorted((a, b) => a - b);
  let [low, high] = [0, bends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sum(bends[middle] ?? 0) >= seats) high = middle;
    else low = middle + 1;
  }
  const [from, to] = [bends[low - 1] ?? 0, bends[low] ?? 0];
  const [less, more] = [sum(from), sum(to)];
  if (less >= seats) return given(from);
  if (more <= seats) return given(to);
  return given(from + ((to - from) * (seats - less)) / (more - less));
}
