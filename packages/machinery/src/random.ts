/**
 * Where all chance comes from. Nothing in Kedge asks the machine for randomness but through this, so that a whole
 * cluster can be run again from its seed.
 */
export interface Random {
  /** A number of at least 0 and below 1. */
  next(): number;
  /** A whole number of at least 0 and below `bound`, each as likely as the other. `bound` is 1 to 2^32. */
  int(bound: number): number;
  /** A version 4 uuid in lower case. */
  uuid(): string;
}

/** The source of 32 random bits at a time that a `Random` is made of. */
export type RandomWord = () => number;

/** Makes a `Random` of a source of uniform 32-bit words. */
export function randomFrom(word: RandomWord): Random {
  return {
    next: () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53,
    int: (bound) => boundedInt(word, bound),
    uuid: () => uuidOf([word(), word(), word(), word()]),
  };
}

/** A repeatable `Random`: the same seed gives the same sequence, on every machine. Never for secrets. */
export function seededRandom(seed: number | string): Random {
  return randomFrom(sfc32(hash128(`${typeof seed}:${seed}`)));
}

/**
 * A stream of its own for a component, derived from the parent's next value and the label. Siblings with different
 * labels that are forked at the same point of two equal runs get equal streams.
 */
export function forkRandom(parent: Random, label: string): Random {
  return seededRandom(`${parent.uuid()}/${label}`);
}

const words = 2 ** 32;

function boundedInt(word: RandomWord, bound: number): number {
  if (!Number.isInteger(bound) || bound < 1 || bound > words) {
    throw new RangeError(`random.int bound ${bound}: must be a whole number from 1 to 4294967296`);
  }
  // Words past the last whole multiple of the bound are thrown away, or small values would be more likely.
  const limit = words - (words % bound);
  let value = word() >>> 0;
  while (value >= limit) value = word() >>> 0;
  return value % bound;
}

function uuidOf([a, b, c, d]: readonly [number, number, number, number]): string {
  const version = (b & 0xffff0fff) | 0x00004000;
  const variant = (c & 0x3fffffff) | 0x80000000;
  const digits = [a, version, variant, d].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join("-");
}

/** Chris Doty-Humphrey's small fast counter generator: 128 bits of state, passes PractRand and BigCrush. */
function sfc32(seed: readonly [number, number, number, number]): RandomWord {
  let [a, b, c, counter] = seed;
  const word = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // Similar seeds differ in few bits of the state: let them spread before the first value is seen.
  for (let round = 0; round < 16; round++) word();
  return word;
}

/** Four FNV-1a hashes with different starting points, each finished by murmur3's mixer. */
function hash128(text: string): [number, number, number, number] {
  const hash = (start: number): number => {
    let h = start | 0;
    for (let i = 0; i < text.length; i++) {
      h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
      h ^= h >>> 15;
    }
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return h ^ (h >>> 16);
  };
  return [hash(0x811c9dc5), hash(0x9e3779b9), hash(0x243f6a88), hash(0xb7e15162)];
}
