/** What a test says about itself with vitest's `annotate`. */
export interface Annotation {
  readonly type: string;
  readonly message: string;
}

/**
 * Adds up what tests have counted, for the line of their suite: `annotate("12 comparisons", "count")` in two of them is
 * "24 comparisons".
 */
export function addCounts(annotations: Iterable<Annotation>): string {
  const counts = new Map<string, number>();
  for (const { type, message } of annotations) {
    const [, number, unit] = /^(\d+) (.+)$/u.exec(message) ?? [];
    if (type !== "count" || number === undefined || unit === undefined) continue;
    counts.set(unit, (counts.get(unit) ?? 0) + Number(number));
  }
  return [...counts].map(([unit, count]) => `${count} ${unit}`).join(", ");
}
