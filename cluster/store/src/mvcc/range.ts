import type { KeyValue, RangeResult, Span } from "../types.ts";
import { compareKeys, countWhile, valuesFrom, type SortedMap } from "./sorted-map.ts";

/** Reads a span of a state in O(log n + number read). */
export function readRange(
  root: SortedMap<KeyValue>,
  span: Span,
  { revision, limit = Infinity }: { readonly revision: number; readonly limit?: number },
): RangeResult {
  const start = startOf(span);
  const before = countWhile(root, (key) => compareKeys(key, start) < 0);
  const count = Math.max(0, countWhile(root, (key) => isBeforeEnd(span, key)) - before);
  const wanted = Math.min(count, limit);
  const items = wanted === 0 ? [] : [...valuesFrom(root, start).take(wanted)];
  return { revision, items, count, more: count > items.length };
}

/** Whether a key lies in a span. */
export function isInSpan(span: Span, key: string): boolean {
  if ("prefix" in span) return key.startsWith(span.prefix);
  return compareKeys(key, span.start) >= 0 && compareKeys(key, span.end) < 0;
}

function startOf(span: Span): string {
  return "prefix" in span ? span.prefix : span.start;
}

function isBeforeEnd(span: Span, key: string): boolean {
  if ("prefix" in span) return key.startsWith(span.prefix) || compareKeys(key, span.prefix) < 0;
  return compareKeys(key, span.end) < 0;
}
