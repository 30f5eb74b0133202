import type { Value } from "../values/values.ts";

/** One evaluation: its variables, and what it has cost so far. */
export interface Frame {
  readonly slots: Value[];
  cost: number;
  readonly limit: number;
  /** What it has taken beyond its cost, in about as many nanoseconds. */
  work: number;
}

/** A part of an expression, ready to run. */
export type Run = (frame: Frame) => Value;

/** Thrown when an evaluation costs more than it may: nothing of it is worth going on with. */
export class CostExceeded extends Error {}

const exceeded = new CostExceeded();

/**
 * Some functions take much longer than they cost: `size` of a long text costs as much as that of a short one. What no
 * cost limits is limited by this, so that an evaluation ends in about the tenth of a second that its limit stands for.
 */
const mostWork = 80_000_000;

/** Nanoseconds that it takes to compare two values without parts. */
export const perComparison = 50;

export function addWork(frame: Frame, work: number): void {
  frame.work += work;
  if (frame.work > mostWork) throw exceeded;
}

export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw exceeded;
}
