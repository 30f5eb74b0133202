import type { Expression } from "../syntax/expression.ts";
import { sameType, type CelType } from "../values/types.ts";
import {
  exactly,
  listCost,
  perCharacter,
  perPatternCharacter,
  plus,
  scaled,
  times,
  unbounded,
  union,
  type Range,
} from "./range.ts";

/** A part of an expression, as the estimate of a call sees it. */
export interface Part {
  readonly expression: Expression;
  readonly type: CelType;
  /** What is known of its size, or else that nothing is. */
  readonly size: Range;
  /** The size of its items, when it is a list: undefined when the type is no list. */
  readonly items: (() => { readonly type: CelType; readonly size: Range }) | undefined;
}

/** What a call costs, without its arguments, and how large its result is if that is known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

export interface CallParts {
  readonly name: string;
  readonly overload: string;
  readonly target: Part | undefined;
  readonly args: readonly Part[];
}

/** What a function of Kubernetes or of an extension costs; undefined for those of CEL itself. */
export function estimateCall(call: CallParts): CallEstimate | undefined {
  const { name, target, args } = call;
  const [first, second] = args;
  const extension = estimateExtension(call);
  if (extension !== undefined) return extension;
  switch (name) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return target && { cost: traversal(target) };
    case "url":
      return first && { cost: scaled(first.size, perCharacter), size: first.size };
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
      return target && { cost: scaled(target.size, perCharacter), size: target.size };
    case "replace":
      if (target === undefined || first === undefined || second === undefined) return undefined;
      return {
        cost: scaled(target.size, 2 * perCharacter),
        size: replaced(target.size, first.size, second.size),
      };
    case "split":
      return (
        target && {
          cost: scaled(target.size, 2 * perCharacter),
          size: { min: 0, max: splitLimit(second) ?? target.size.max },
        }
      );
    case "join":
      return target && joined(target, first);
    case "find":
    case "findAll": {
      if (target === undefined || first === undefined) return undefined;
      const text = scaled(plus(target.size, exactly(1)), perCharacter);
      return {
        cost: times(text, scaled(first.size, perPatternCharacter)),
        size: { min: 0, max: target.size.max },
      };
    }
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return first && { cost: scaled(first.size, perCharacter) };
    case "ip":
      if (call.overload === "cidr_ip") return { cost: exactly(1) };
      return first && { cost: scaled(first.size, perCharacter) };
    case "ip.isCanonical":
      return first && { cost: scaled(first.size, 2 * perCharacter) };
    case "containsIP":
    case "containsCIDR":
      return first && { cost: containment(call, first) };
    case "validate":
      return first && { cost: scaled(scaled(first.size, perCharacter), 128 * perPatternCharacter) };
    case "_==_":
      return first && second && sameType(first.type, second.type) ? equality(first.type) : undefined;
    default:
      return cheap.has(name) ? { cost: exactly(1) } : undefined;
  }
}

const cheap = new Set(
  (
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast " +
    "format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor " +
    "patch getScheme getHostname getHost getPort getEscapedPath getQuery"
  ).split(" "),
);

function traversal({ size, items }: Part): Range {
  const item = items?.();
  if (item === undefined) return scaled(size, perCharacter);
  const textual = item.type.kind === "string" || item.type.kind === "bytes";
  return times(size, textual ? plus(exactly(1), scaled(item.size, perCharacter)) : exactly(1));
}

function replaced(text: Range, old: Range, by: Range): Range {
  const most = ((): readonly [number, number] => {
    if (old.min === 0) return [Math.min(unbounded, text.max + 1), text.max];
    return by.max <= old.min ? [0, text.max] : [Math.ceil(text.max / old.min), 0];
  })();
  const least = ((): readonly [number, number] => {
    if (old.max === 0) return [text.min + 1, text.min];
    return old.max <= by.min ? [0, text.min] : [Math.ceil(text.min / old.max), 0];
  })();
  const count = { min: least[0], max: most[0] };
  return plus(times(count, by), { min: least[1], max: most[1] });
}

function splitLimit(limit: Part | undefined): number | undefined {
  if (limit?.expression.kind !== "literal" || typeof limit.expression.value !== "bigint") return undefined;
  const { value } = limit.expression;
  return value < 0n ? unbounded : Number(value);
}

function joined(target: Part, separator: Part | undefined): CallEstimate {
  const item = target.items?.();
  let size: Range = item === undefined ? exactly(0) : times(target.size, item.size);
  if (separator !== undefined) {
    const between = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
    size = plus(size, times(separator.size, between));
  }
  return { cost: scaled(size, perCharacter), size };
}

/** Addresses have 4 or 16 bytes. */
function containment({ name, overload }: CallParts, other: Part): Range {
  const bytes = { min: 4, max: 16 };
  const compared = scaled(plus(bytes, bytes), perCharacter);
  const network = name === "containsCIDR" ? plus(scaled(bytes, perCharacter), exactly(1)) : exactly(0);
  const parsed = overload.endsWith("_string") ? scaled(other.size, perCharacter) : exactly(0);
  return plus(compared, network, parsed);
}

function equality({ name }: CelType): CallEstimate | undefined {
  switch (name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return { cost: exactly(1) };
    case "kubernetes.NamedFormat":
      return { cost: scaled({ min: 1, max: 64 }, perCharacter) };
    case "kubernetes.URL":
      return { cost: exactly(1) };
    default:
      return undefined;
  }
}

/** A call that makes a list of so many items. */
function allocating(factor: number, size: Range): CallEstimate {
  return { cost: plus(scaled(size, factor), exactly(1 + listCost)), size };
}

/** The extensions `lists` and `sets` have estimates of their own. */
function estimateExtension({ overload, target, args }: CallParts): CallEstimate | undefined {
  const [first, second] = args;
  switch (overload) {
    case "list_slice":
      return target && allocating(1, exactly(difference(intOf(second, target.size.max), intOf(first, 0))));
    case "list_flatten":
    case "list_flatten_int":
      return target && allocating(first === undefined ? 1 : intOf(first, unbounded), target.size);
    case "lists_range":
      return allocating(1, exactly(intOf(first, unbounded)));
    case "list_reverse":
      return target && allocating(1, target.size);
    case "list_distinct":
      return target && allocating(2, times(target.size, target.size));
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
    case "list_sets_equivalent_list": {
      if (first === undefined || second === undefined) return undefined;
      const factor = overload === "list_sets_equivalent_list" ? 2 : 1;
      return { cost: plus(scaled(times(first.size, second.size), factor), exactly(1)) };
    }
    default: {
      const sorting = /^list_(?<type>.+)_sort(?<by>ByAssociatedKeys)?$/u.exec(overload)?.groups;
      if (sorting === undefined) return undefined;
      const keys = sorting["by"] === undefined ? target : first;
      const textual = sorting["type"] === "string" || sorting["type"] === "bytes";
      return keys && allocating(textual ? 2 + perCharacter : 2, times(keys.size, keys.size));
    }
  }
}

/** The server's numbers have no sign: below 0 they begin at their end. */
function difference(a: number, b: number): number {
  return a < b ? unbounded : a - b;
}

function intOf(part: Part | undefined, otherwise: number): number {
  if (part?.expression.kind !== "literal" || typeof part.expression.value !== "bigint") return otherwise;
  return Math.max(0, Number(part.expression.value));
}

/** Sizes of alternatives as one. */
export function unionOf(a: Range | undefined, b: Range): Range {
  return a === undefined ? b : union(a, b);
}
