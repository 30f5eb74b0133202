/** What a cost or a size is estimated to be at least and at most. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The most that the server's numbers can be: what grows beyond stays there. */
export const unbounded = 2 ** 64;

export const unknownSize: Range = { min: 0, max: unbounded };

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function plus(...ranges: readonly Range[]): Range {
  let [min, max] = [0, 0];
  for (const range of ranges) {
    min = Math.min(unbounded, min + range.min);
    max = Math.min(unbounded, max + range.max);
  }
  return { min, max };
}

export function times(a: Range, b: Range): Range {
  return { min: Math.min(unbounded, a.min * b.min), max: Math.min(unbounded, a.max * b.max) };
}

/** Rounded up. */
export function scaled({ min, max }: Range, factor: number): Range {
  return { min: scaledUp(min, factor), max: scaledUp(max, factor) };
}

function scaledUp(value: number, factor: number): number {
  return Math.min(unbounded, Math.ceil(value * factor));
}

/** What covers both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** What it costs to look at one character, as a part of one step. */
export const perCharacter = 0.1;
/** What a character of a regular expression multiplies that by. */
export const perPatternCharacter = 0.25;
export const listCost = 10;
export const mapCost = 30;
export const structCost = 40;
