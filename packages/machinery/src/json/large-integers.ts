declare global {
  /** What Node.js has of JSON, and our TypeScript does not know yet. */
  interface JSON {
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * JSON as data. An integer of 64 bits that no number holds exactly, above 2^53, is a bigint, so that no digit is lost;
 * `JSON.stringify` writes it as it was. All others are numbers, and a text without such an integer takes no longer.
 */
export function parseJsonExactly(text: string, readNumber?: NumberReader): unknown {
  if (readNumber === undefined) {
    const value: unknown = mayHaveLarge.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
    return value;
  }
  const value: unknown = JSON.parse(text, (key: string, each: unknown, context: Context = {}) =>
    typeof each === "number" ? readNumber(exact(key, each, context), context.source ?? "") : each,
  );
  return value;
}

/** What becomes of a number, by its text. It takes time: every value is looked at. */
export type NumberReader = (value: unknown, text: string) => unknown;

/** An integer of 64 bits as JSON data has it: a number where that is exact. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  writeBigintsAsJson();
  return value;
}

/**
 * Whether a value is an integer, be it a bigint. As in the types of all kinds it is called a number then: compare it,
 * count on with `++`, but take `Number` or `BigInt` of it for any other arithmetic.
 */
export function isJsonInteger(value: unknown): value is number {
  return Number.isInteger(value) || typeof value === "bigint";
}

/** Sixteen digits where a value may begin. In a text it looks the same: then only time is lost. */
const mayHaveLarge = /(?:^|[\s:,[])-?\d{16}/u;

/** `source` is the text of a scalar. */
interface Context {
  readonly source?: string;
}

function exact(_key: string, value: unknown, { source = "" }: Context = {}): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (!/^-?\d{16,19}$/u.test(source)) return value;
  const integer = BigInt(source);
  // What has no room in 64 bits is a floating point number for Kubernetes, too.
  return BigInt.asIntN(64, integer) === integer ? exactInteger(integer) : value;
}

/** A bigint does not know its JSON by itself. A process that never meets one is left as it is. */
function writeBigintsAsJson(): void {
  if ("toJSON" in BigInt.prototype) return;
  // oxlint-disable-next-line no-extend-native -- `JSON.stringify` asks nobody else, also in code that is not ours
  Object.defineProperty(BigInt.prototype, "toJSON", {
    configurable: true,
    writable: true,
    value(this: bigint): unknown {
      return JSON.rawJSON(this.toString());
    },
  });
}
