/** How a quantity is written: `12Mi`, `12M` or `12e6`. */
export type QuantityFormat = "BinarySI" | "DecimalSI" | "DecimalExponent";

/**
 * An exact amount: `mantissa` × 10^`scale`, in whole billionths. Frozen plain data, so that it can be shared, compared
 * in tests and sent to a worker; functions of this file make new ones. On the wire a quantity is its text.
 */
export interface Quantity {
  readonly mantissa: bigint;
  /** At least -9. */
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where Kubernetes repeats that text instead of printing the canonical form. */
  readonly text: string | undefined;
}

/** The format and unit of a quantity made from a number. */
export interface QuantityOptions {
  /** `DecimalSI` by default. */
  readonly format?: QuantityFormat | undefined;
  /** The power of ten that the number counts, from -9 to 18; 0 by default, -3 for thousandths. */
  readonly scale?: number | undefined;
}

/** Makes a quantity of a whole number: `quantityOf(1500, { scale: -3 })` is 1500m. */
export function quantityOf(value: number | bigint, options: QuantityOptions = {}): Quantity {
  const { format = "DecimalSI", scale = 0 } = options;
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new RangeError(
      `quantity ${value}: must be a whole number that is exact, use a bigint or parse a text`,
    );
  }
  if (!Number.isInteger(scale) || scale < minScale || scale > maxSuffixScale) {
    throw new RangeError(
      `quantity scale ${scale}: must be a whole number from ${minScale} to ${maxSuffixScale}`,
    );
  }
  return computed(BigInt(value), scale, format);
}

/** The sum. It has the format of `a`, or of `b` when `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  if (a.mantissa === 0n) return computed(b.mantissa, b.scale, b.format);
  if (b.mantissa === 0n) return computed(a.mantissa, a.scale, a.format);
  if (a.scale === b.scale) return computed(a.mantissa + b.mantissa, a.scale, a.format);
  const scale = Math.min(a.scale, b.scale);
  const sum = a.mantissa * powerOfTen(a.scale - scale) + b.mantissa * powerOfTen(b.scale - scale);
  return computed(sum, scale, a.format);
}

/** The difference. It has the format of `a`, or of `b` when `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, negateQuantity(b));
}

/** The same amount with the other sign. */
export function negateQuantity(quantity: Quantity): Quantity {
  return computed(-quantity.mantissa, quantity.scale, quantity.format);
}

/** Orders by amount, whatever the format: negative when `a` is less, 0 when equal. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.scale === b.scale) return order(a.mantissa, b.mantissa);
  const sign = quantitySign(a);
  if (sign === 0 || sign !== quantitySign(b)) return order(sign, quantitySign(b));
  // Comparing magnitudes first keeps 1e999999999 from being written out.
  const [magnitudeA, magnitudeB] = [magnitude(a), magnitude(b)];
  if (magnitudeA !== magnitudeB) return magnitudeA < magnitudeB === sign > 0 ? -1 : 1;
  const scale = Math.min(a.scale, b.scale);
  return order(a.mantissa * 10n ** BigInt(a.scale - scale), b.mantissa * 10n ** BigInt(b.scale - scale));
}

/** -1, 0 or 1. */
export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  return order(quantity.mantissa, 0n);
}

/** Whether the amount is zero. */
export function quantityIsZero(quantity: Quantity): boolean {
  return quantity.mantissa === 0n;
}

/** The amount in whole units, fractions rounded away from zero. */
export function quantityValue(quantity: Quantity): bigint {
  return scaledValue(quantity, 0);
}

/** The amount in thousandths, finer fractions rounded away from zero: 250 for `250m`. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return scaledValue(quantity, -3);
}

/** The nearest number. Exact only up to 2^53, and infinite when the amount is beyond any number. */
export function quantityToNumber(quantity: Quantity): number {
  return Number(`${quantity.mantissa}e${quantity.scale}`);
}

/** 10^`exponent`, refused where the result would only serve to exhaust memory. */
export function powerOfTen(exponent: number): bigint {
  if (exponent > maxExponent) {
    throw new RangeError(
      `quantity: 10^${exponent} is too large to compute with, the limit is 10^${maxExponent}`,
    );
  }
  return 10n ** BigInt(exponent);
}

/** Divides, rounding away from zero. */
export function divideRoundingUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

/** The smallest unit is a billionth: whatever is finer is rounded up to it. */
export const minScale = -9;

/** The largest power of ten that has a letter. */
export const maxSuffixScale = 18;

const maxExponent = 4096;

/** A quantity that was not read from a text. Zero has one scale only, or adding to 0e999999999 would be refused. */
function computed(mantissa: bigint, scale: number, format: QuantityFormat): Quantity {
  return Object.freeze({ mantissa, scale: mantissa === 0n ? 0 : scale, format, text: undefined });
}

function scaledValue({ mantissa, scale }: Quantity, target: number): bigint {
  if (scale >= target) return mantissa * powerOfTen(scale - target);
  return divideRoundingUp(mantissa, powerOfTen(target - scale));
}

function magnitude({ mantissa, scale }: Quantity): number {
  return (mantissa < 0n ? -mantissa : mantissa).toString().length + scale;
}

function order<T extends bigint | number>(a: T, b: T): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
