/**
 * An ordered map that is never changed: a change gives a new map that shares all but O(log n) nodes with the old one.
 * A weight-balanced tree, because the sizes that balance it also answer "how many keys lie between" in O(log n), and
 * because its shape depends on nothing but the writes.
 */
export type SortedMap<V> = Node<V> | undefined;

interface Node<V> {
  readonly key: string;
  readonly value: V;
  readonly size: number;
  readonly left: SortedMap<V>;
  readonly right: SortedMap<V>;
}

/** The value of a key. */
export function find<V>(map: SortedMap<V>, key: string): V | undefined {
  let node = map;
  while (node !== undefined) {
    const order = compareKeys(key, node.key);
    if (order === 0) return node.value;
    node = order < 0 ? node.left : node.right;
  }
  return undefined;
}

/** The map with a key set. */
export function insert<V>(map: SortedMap<V>, key: string, value: V): Node<V> {
  if (map === undefined) return { key, value, size: 1, left: undefined, right: undefined };
  const order = compareKeys(key, map.key);
  if (order === 0) return { ...map, value };
  return order < 0
    ? balance(map, insert(map.left, key, value), map.right)
    : balance(map, map.left, insert(map.right, key, value));
}

/** The map without a key. */
export function remove<V>(map: SortedMap<V>, key: string): SortedMap<V> {
  if (map === undefined) return undefined;
  const order = compareKeys(key, map.key);
  if (order < 0) return balance(map, remove(map.left, key), map.right);
  if (order > 0) return balance(map, map.left, remove(map.right, key));
  if (map.left === undefined) return map.right;
  if (map.right === undefined) return map.left;
  const next = first(map.right);
  return balance(next, map.left, remove(map.right, next.key));
}

/** A map of entries that come in the order of their keys, each key once. In O(n). */
export function fromSorted<V>(
  entries: readonly { readonly key: string; readonly value: V }[],
  from = 0,
  to: number = entries.length,
): SortedMap<V> {
  const middle = (from + to) >> 1;
  const entry = entries[middle];
  if (from >= to || entry === undefined) return undefined;
  const left = fromSorted(entries, from, middle);
  const right = fromSorted(entries, middle + 1, to);
  return { key: entry.key, value: entry.value, size: to - from, left, right };
}

/** Two maps as one, where all keys of the first come before those of the second. In O(log n). */
export function concat<V>(map: SortedMap<V>, after: SortedMap<V>): SortedMap<V> {
  if (after === undefined) return map;
  const next = first(after);
  return link(next, map, remove(after, next.key));
}

/**
 * A map in two: what comes before a place in the order, which is told by a question that is true up to there, and the
 * rest. In O(log n).
 */
export function split<V>(
  map: SortedMap<V>,
  isBefore: (key: string) => boolean,
): readonly [before: SortedMap<V>, rest: SortedMap<V>] {
  if (map === undefined) return [undefined, undefined];
  if (isBefore(map.key)) {
    const [before, rest] = split(map.right, isBefore);
    return [link(map, map.left, before), rest];
  }
  const [before, rest] = split(map.left, isBefore);
  return [before, link(map, rest, map.right)];
}

/** How many keys come before a place in the order, which is told by a question that is true up to there. */
export function countWhile<V>(map: SortedMap<V>, isBefore: (key: string) => boolean): number {
  let count = 0;
  let node = map;
  while (node !== undefined) {
    if (isBefore(node.key)) {
      count += sizeOf(node.left) + 1;
      node = node.right;
    } else node = node.left;
  }
  return count;
}

/** The values in order, from the first key that is not before `start`. */
export function* valuesFrom<V>(map: SortedMap<V>, start: string): Generator<V, undefined> {
  const path: Node<V>[] = [];
  let node = map;
  while (node !== undefined) {
    if (compareKeys(node.key, start) < 0) node = node.right;
    else {
      path.push(node);
      node = node.left;
    }
  }
  for (let next = path.pop(); next !== undefined; next = path.pop()) {
    yield next.value;
    for (let below = next.right; below !== undefined; below = below.left) path.push(below);
  }
  return undefined;
}

/**
 * The order of the UTF-8 bytes, which is etcd's. JavaScript's own differs only where a surrogate pair meets a character
 * from U+E000 on.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function first<V>(node: Node<V>): Node<V> {
  let found = node;
  while (found.left !== undefined) found = found.left;
  return found;
}

function sizeOf<V>(map: SortedMap<V>): number {
  return map?.size ?? 0;
}

function join<V>(at: Node<V>, left: SortedMap<V>, right: SortedMap<V>): Node<V> {
  return { key: at.key, value: at.value, size: sizeOf(left) + sizeOf(right) + 1, left, right };
}

// 3 and 2 are the one pair of whole numbers for which insertion and removal are proven to keep the balance.
const heavier = 3;
const single = 2;

function balance<V>(at: Node<V>, left: SortedMap<V>, right: SortedMap<V>): Node<V> {
  const l = sizeOf(left) + 1;
  const r = sizeOf(right) + 1;
  if (right !== undefined && r > heavier * l) return rotateLeft(at, left, right);
  if (left !== undefined && l > heavier * r) return rotateRight(at, left, right);
  return join(at, left, right);
}

/** As `balance`, for maps of any two sizes. */
function link<V>(at: Node<V>, left: SortedMap<V>, right: SortedMap<V>): Node<V> {
  const l = sizeOf(left) + 1;
  const r = sizeOf(right) + 1;
  if (right !== undefined && r > heavier * l) return balance(right, link(at, left, right.left), right.right);
  if (left !== undefined && l > heavier * r) return balance(left, left.left, link(at, left.right, right));
  return join(at, left, right);
}

function rotateLeft<V>(at: Node<V>, left: SortedMap<V>, right: Node<V>): Node<V> {
  const inner = right.left;
  if (inner === undefined || sizeOf(inner) + 1 < single * (sizeOf(right.right) + 1))
    return join(right, join(at, left, inner), right.right);
  return join(inner, join(at, left, inner.left), join(right, inner.right, right.right));
}

function rotateRight<V>(at: Node<V>, left: Node<V>, right: SortedMap<V>): Node<V> {
  const inner = left.right;
  if (inner === undefined || sizeOf(inner) + 1 < single * (sizeOf(left.left) + 1))
    return join(left, left.left, join(at, inner, right));
  return join(inner, join(left, left.left, inner.left), join(at, inner.right, right));
}
