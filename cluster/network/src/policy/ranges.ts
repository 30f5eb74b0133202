import { formatIpv4, type DeepReadonly, type Steps } from "@kedge/machinery";
import type { IPBlock } from "@kedge/machinery/kinds/networking/v1";

/** Numbers from the first to the last, both included. */
export type Range = readonly [first: number, last: number];

/** The same numbers in as few ranges as possible, in order. */
export function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** What is left of a range without others. */
export function withoutRanges([first, last]: Range, others: readonly Range[]): readonly Range[] {
  const left: Range[] = [];
  let next = first;
  for (const [from, to] of mergeRanges(others)) {
    if (from > next) left.push([next, Math.min(from - 1, last)]);
    next = Math.max(next, to + 1);
    if (next > last) break;
  }
  if (next <= last) left.push([next, last]);
  return left;
}

/** The IPv4 addresses of a block. Those of the sixth version are of no pod. In steps: exceptions may be thousands. */
export function* rangesOfBlock({ cidr, except = [] }: DeepReadonly<IPBlock>): Steps<readonly Range[]> {
  const whole = rangeOf(cidr);
  if (whole === undefined) return [];
  const parts: Range[] = [];
  for (const [i, text] of except.entries()) {
    if (i % 1000 === 0) yield;
    const part = rangeOf(text);
    if (part !== undefined) parts.push(part);
  }
  yield;
  return withoutRanges(whole, parts);
}

/** A range of addresses as nftables writes it. */
export function rangeText([first, last]: Range): string {
  return first === last ? formatIpv4(first) : `${formatIpv4(first)}-${formatIpv4(last)}`;
}

/** Bits beyond the prefix are left out: policies of older servers may have some. */
function rangeOf(cidr: string): Range | undefined {
  const [address = "", bits = ""] = cidr.split("/");
  const parts = address.split(".");
  // Zeros in front were let pass once.
  const isAddress =
    parts.length === 4 && parts.every((part) => /^\d{1,8}$/u.test(part) && Number(part) <= 255);
  const number = parts.reduce((sum, part) => sum * 256 + Number(part), 0);
  const prefix = /^\d{1,3}$/u.test(bits) ? Number(bits) : Number.NaN;
  if (!isAddress || !(prefix <= 32)) return undefined;
  const size = 2 ** (32 - prefix);
  const first = number - (number % size);
  return [first, first + size - 1];
}
