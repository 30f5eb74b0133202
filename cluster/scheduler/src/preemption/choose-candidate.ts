import type { Random } from "@kedge/machinery";
import type { PodInfo } from "../view/pod-info.ts";
import { startTimeOf } from "./importance.ts";

/** A node that a pod could have if others left it. */
export interface Candidate {
  readonly node: string;
  /** The most important first; never empty. */
  readonly victims: readonly PodInfo[];
  /** How many of them a disruption budget protects. */
  readonly violations: number;
}

/** Makes negative priorities count as something, too. */
const offset = 2 ** 31;

/**
 * The candidate that does the least harm: that breaks the fewest budgets, whose most important victim is the least
 * important, whose victims are the least important together, the fewest, and whose most important ones began last. Of
 * equal ones any.
 */
export function chooseCandidate(
  candidates: readonly Candidate[],
  { random, now }: { readonly random: Random; readonly now: number },
): Candidate | undefined {
  let left = candidates;
  for (const harmOf of harms) {
    if (left.length < 2) break;
    const least = Math.min(...left.map((candidate) => harmOf(candidate, now)));
    left = left.filter((candidate) => harmOf(candidate, now) === least);
  }
  return left.length === 0 ? undefined : left[random.int(left.length)];
}

const harms: readonly ((candidate: Candidate, now: number) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + offset, 0),
  ({ victims }) => victims.length,
  ({ victims }, now) => {
    const highest = victims.filter(({ priority }) => priority === victims[0]?.priority);
    return -Math.min(...highest.map((victim) => startTimeOf(victim, now)));
  },
];
