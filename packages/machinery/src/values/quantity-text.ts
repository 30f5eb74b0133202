import {
  divideRoundingUp,
  maxSuffixScale,
  minScale,
  powerOfTen,
  type Quantity,
  type QuantityFormat,
} from "./quantity.ts";

/**
 * Reads a quantity as the wire has it: a text such as `100m`, `1.5Gi` or `12e6`, or a JSON number. What is finer than
 * a billionth is rounded up, what has a binary suffix and exceeds 2^63-1 is capped. Surrounding blanks are refused here,
 * as by `resource.ParseQuantity`; Kubernetes' JSON decoder trims them first.
 */
export function parseQuantity(wire: string | number | bigint): Quantity {
  // JavaScript prints exponents with a plus sign, which would be repeated.
  const text = typeof wire === "string" ? wire : String(wire).replace("e+", "e");
  return parseCommon(text) ?? parseAny(text);
}

/**
 * Prints a quantity as Kubernetes does: without a fraction, with the largest suffix of its format that loses nothing.
 * Amounts that a binary suffix cannot hold exactly, and those under 1024, are printed as decimals. One difference:
 * amounts that are whole multiples of 1000E or 1024Ei lose their suffix in Kubernetes, and keep it here.
 */
export function quantityToString(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.mantissa === 0n) return "0";
  return (quantity.format === "BinarySI" ? printBinary(quantity) : undefined) ?? printDecimal(quantity);
}

/** The usual texts (`2`, `250m`, `512Mi`) at a third of the cost: whole numbers of up to nine digits. */
function parseCommon(text: string): Quantity | undefined {
  const end = skipDigits(text, 0);
  if (end === 0 || end > 9 || text.startsWith("0")) return undefined;
  const unit = commonUnits.get(text.slice(end));
  if (unit === undefined) return undefined;
  const number = Number(text.slice(0, end));
  const canonical = unit.format === "BinarySI" ? number % 8 !== 0 : number % 1000 !== 0;
  return Object.freeze({
    // Exact: nine digits have 30 bits, and the factor is a power of two.
    mantissa: BigInt(number * unit.factor),
    scale: unit.scale,
    format: unit.format,
    text: canonical ? text : undefined,
  });
}

interface CommonUnit {
  readonly factor: number;
  readonly scale: number;
  readonly format: QuantityFormat;
}

const commonUnits: ReadonlyMap<string, CommonUnit> = new Map([
  ["", { factor: 1, scale: 0, format: "DecimalSI" }],
  ["m", { factor: 1, scale: -3, format: "DecimalSI" }],
  ["Ki", { factor: 2 ** 10, scale: 0, format: "BinarySI" }],
  ["Mi", { factor: 2 ** 20, scale: 0, format: "BinarySI" }],
  ["Gi", { factor: 2 ** 30, scale: 0, format: "BinarySI" }],
]);

/** More digits than any amount has: bigints take time by their square. */
const mostDigits = 4096;

function parseAny(text: string): Quantity {
  const parts = split(text);
  if (parts.whole.length + parts.fraction.length > mostDigits)
    throw new TypeError(`a quantity may have ${mostDigits} digits at most`);
  const suffix = readSuffix(parts.suffix);
  if (suffix === undefined) throw new TypeError("unable to parse quantity's suffix");
  const short = isShort(parts, suffix);
  if (!short && !parts.hasDigits) throw new TypeError("unable to parse numeric part of quantity");

  const digits = BigInt(parts.whole + parts.fraction);
  const { mantissa, scale, format } = limit(
    suffix.binary
      ? {
          mantissa: digits << BigInt(suffix.exponent),
          scale: 0 - parts.fraction.length,
          format: suffix.format,
        }
      : { mantissa: digits, scale: suffix.exponent - parts.fraction.length, format: suffix.format },
  );
  return Object.freeze({
    mantissa: parts.negative ? -mantissa : mantissa,
    scale: mantissa === 0n ? 0 : scale,
    format,
    text: short && repeatsText(parts, suffix) ? text : undefined,
  });
}

type Amount = Omit<Quantity, "text">;

interface Parts {
  readonly negative: boolean;
  /** Without leading zeros, but never empty. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
  readonly hasDigits: boolean;
}

interface Suffix {
  readonly format: QuantityFormat;
  readonly binary: boolean;
  /** The power of two or ten. */
  readonly exponent: number;
}

function split(text: string): Parts {
  const negative = text.startsWith("-");
  const start = negative || text.startsWith("+") ? 1 : 0;
  const wholeEnd = skipDigits(text, start);
  const fractionStart = text[wholeEnd] === "." ? wholeEnd + 1 : wholeEnd;
  const end = fractionStart === wholeEnd ? wholeEnd : skipDigits(text, fractionStart);
  const suffix = text.slice(end);
  if (text === "" || !suffixPattern.test(suffix)) {
    throw new TypeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const whole = text.slice(start, wholeEnd).replace(/^0+/u, "");
  const fraction = text.slice(fractionStart, end);
  const hasDigits = wholeEnd > start || fraction !== "";
  return { negative, whole: whole === "" ? "0" : whole, fraction, suffix, hasDigits };
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  return at;
}

const suffixPattern = /^[eEinumkKMGTP]*[-+]?[0-9]*$/u;

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

function readSuffix(suffix: string): Suffix | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { format: "DecimalSI", binary: false, exponent: minScale + 3 * decimal };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { format: "BinarySI", binary: true, exponent: 10 * binary };
  if (!/^[eE][-+]?[0-9]+$/u.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  // Kubernetes cuts larger exponents to 32 bits, which turns 1e4294967296 into 1.
  return exponent === (exponent | 0) ? { format: "DecimalExponent", binary: false, exponent } : undefined;
}

/** Whether Kubernetes reads the text into 64 bits: only then it tolerates missing digits, and may repeat the text. */
function isShort({ whole, fraction }: Parts, { binary, exponent }: Suffix): boolean {
  if (binary) return fraction === "" && whole.length + Math.trunc((exponent * 3) / 10) <= 14;
  return whole.length + fraction.length <= 18 && exponent - fraction.length >= minScale;
}

/** Kubernetes' quick test of whether a text is canonical. It lets `+1`, `007` and `1.234` pass. */
function repeatsText({ whole, fraction }: Parts, { binary, exponent }: Suffix): boolean {
  const digits = whole + fraction;
  if (binary) return Number(digits.slice(-3)) % 8 !== 0;
  return (exponent - fraction.length) % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

/** Rounds and caps an amount that has no sign yet. */
function limit(amount: Amount): Amount {
  const { mantissa, scale, format } = roundToNano(amount);
  if (format !== "BinarySI") return { mantissa, scale, format };
  const one = powerOfTen(-scale);
  if (mantissa > maxBinary * one) return { mantissa: maxBinary, scale: 0, format };
  return { mantissa, scale, format: mantissa > 0n && mantissa < one ? "DecimalSI" : format };
}

const maxBinary = 2n ** 63n - 1n;

function roundToNano({ mantissa, scale, format }: Amount): Amount {
  if (scale >= minScale) return { mantissa, scale, format };
  const excess = minScale - scale;
  // More places than digits: nothing but the rounding is left, and 10^excess need not be computed.
  if (excess > mantissa.toString().length)
    return { mantissa: mantissa === 0n ? 0n : 1n, scale: minScale, format };
  return { mantissa: divideRoundingUp(mantissa, 10n ** BigInt(excess)), scale: minScale, format };
}

function printBinary({ mantissa, scale }: Quantity): string | undefined {
  const dividend = mantissa * powerOfTen(Math.max(0, scale));
  const divisor = powerOfTen(Math.max(0, -scale));
  if (dividend % divisor !== 0n) return undefined;
  let value = dividend / divisor;
  if (value > -1024n && value < 1024n) return undefined;
  let index = 0;
  while (index < binarySuffixes.length - 1 && value % 1024n === 0n) {
    value /= 1024n;
    index++;
  }
  return `${value}${binarySuffixes[index] ?? ""}`;
}

function printDecimal({ mantissa, scale, format }: Quantity): string {
  const written = mantissa.toString();
  const digits = written.slice(0, lastNonZero(written) + 1);
  const exponent = scale + written.length - digits.length;
  const largest = format === "DecimalExponent" ? exponent : Math.min(exponent, maxSuffixScale);
  const printed = Math.floor(largest / 3) * 3;
  const number = digits + "0".repeat(exponent - printed);
  if (format === "DecimalExponent") return printed === 0 ? number : `${number}e${printed}`;
  return `${number}${decimalSuffixes[(printed - minScale) / 3] ?? ""}`;
}

/** By hand, as a pattern for trailing zeros takes quadratic time on texts that are full of other zeros. */
function lastNonZero(digits: string): number {
  let at = digits.length - 1;
  while (digits[at] === "0") at--;
  return at;
}
