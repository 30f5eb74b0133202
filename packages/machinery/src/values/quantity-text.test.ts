import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addQuantities, compareQuantities, quantityOf, type QuantityFormat } from "./quantity.ts";
import { parseQuantity, quantityToString } from "./quantity-text.ts";

/** The canonical form: what is printed once the text that was read is forgotten. */
function canonical(text: string): string {
  return quantityToString(addQuantities(parseQuantity(text), quantityOf(0)));
}

describe("canonical form", () => {
  const cases: readonly (readonly [text: string, printed: string, format: QuantityFormat])[] = [
    ["0", "0", "DecimalSI"],
    ["0n", "0", "DecimalSI"],
    ["00", "0", "DecimalSI"],
    ["0Ki", "0", "BinarySI"],
    ["0e5", "0", "DecimalExponent"],
    ["-0", "0", "DecimalSI"],
    ["1", "1", "DecimalSI"],
    ["-1", "-1", "DecimalSI"],
    ["+1", "1", "DecimalSI"],
    ["007", "7", "DecimalSI"],
    ["1000", "1k", "DecimalSI"],
    ["1234000", "1234k", "DecimalSI"],
    ["0.5", "500m", "DecimalSI"],
    ["1.5", "1500m", "DecimalSI"],
    ["1.234", "1234m", "DecimalSI"],
    ["9.01", "9010m", "DecimalSI"],
    [".001", "1m", "DecimalSI"],
    [".0001k", "100m", "DecimalSI"],
    ["1.", "1", "DecimalSI"],
    ["1.G", "1G", "DecimalSI"],
    ["1000u", "1m", "DecimalSI"],
    ["1080000000n", "1080m", "DecimalSI"],
    ["50k", "50k", "DecimalSI"],
    ["100.035k", "100035", "DecimalSI"],
    ["1000M", "1G", "DecimalSI"],
    ["0.001T", "1G", "DecimalSI"],
    ["10.035M", "10035k", "DecimalSI"],
    ["2.5P", "2500T", "DecimalSI"],
    ["12E", "12E", "DecimalSI"],
    ["1Ki", "1Ki", "BinarySI"],
    ["-1Ki", "-1Ki", "BinarySI"],
    ["1024Ki", "1Mi", "BinarySI"],
    ["1024Mi", "1Gi", "BinarySI"],
    ["307200Ki", "300Mi", "BinarySI"],
    ["1025024Mi", "1001Gi", "BinarySI"],
    ["1.5Gi", "1536Mi", "BinarySI"],
    ["0.5Gi", "512Mi", "BinarySI"],
    ["0.5Ki", "512", "BinarySI"],
    ["1.5Ki", "1536", "BinarySI"],
    ["0.0009765625Ki", "1", "BinarySI"],
    ["3Ei", "3Ei", "BinarySI"],
    ["100.035Ki", "102435840m", "BinarySI"],
    [".001Ki", "1024m", "BinarySI"],
    ["12e6", "12e6", "DecimalExponent"],
    ["1E6", "1e6", "DecimalExponent"],
    ["1e0", "1", "DecimalExponent"],
    ["1e2", "100", "DecimalExponent"],
    ["1.3E+6", "1300e3", "DecimalExponent"],
    ["0.5e-2", "5e-3", "DecimalExponent"],
    ["1000e-12", "1e-9", "DecimalExponent"],
    [".001e12", "1e9", "DecimalExponent"],
    ["1e999999999", "1e999999999", "DecimalExponent"],
  ];
  test.each(cases)("%s is printed as %s", (text, printed, format) => {
    expect(canonical(text)).toBe(printed);
    expect(parseQuantity(text).format).toBe(format);
  });

  test.each([
    ["0.1n", "1n"],
    ["3.001n", "4n"],
    ["-3.001n", "-4n"],
    ["0.0000000005", "1n"],
    ["0.00000012345", "124n"],
    ["1.1E-9", "2e-9"],
    ["1e-999999999", "1e-9"],
    ["0e-999999999", "0"],
  ])("%s is finer than a billionth and rounded up to %s", (text, printed) => {
    expect(quantityToString(parseQuantity(text))).toBe(printed);
  });

  test.each(["9Ei", "8Ei", "9223372036854775807Ki", "9223372036854775808.5Ki"])(
    "%s exceeds 64 bits and is capped",
    (text) => {
      expect(quantityToString(parseQuantity(text))).toBe("9223372036854775807");
      expect(quantityToString(parseQuantity(`-${text}`))).toBe("-9223372036854775807");
    },
  );

  test("a decimal suffix is not capped", () => {
    expect(canonical("9223372036854775808")).toBe("9223372036854775808");
    expect(canonical("100E")).toBe("100E");
  });

  test("a binary amount under one becomes decimal", () => {
    expect(parseQuantity("0.000000000001Ki")).toMatchObject({ mantissa: 2n, scale: -9, format: "DecimalSI" });
    expect(parseQuantity("-0.0001Ki").format).toBe("DecimalSI");
  });

  test("an amount beyond the largest suffix keeps it, where Kubernetes would print 1", () => {
    expect(canonical("1000E")).toBe("1000E");
    expect(canonical("1000000E")).toBe("1000000E");
    const exbi = parseQuantity("4Ei");
    const sum = Array.from({ length: 256 }, () => exbi).reduce(addQuantities);
    expect(quantityToString(sum)).toBe("1024Ei");
  });

  test.each([
    [1, "1"],
    [0.5, "500m"],
    [1e21, "1e21"],
    [1e-7, "100e-9"],
  ])("the JSON number %s is read as its text", (value, printed) => {
    expect(quantityToString(parseQuantity(value))).toBe(printed);
  });
});

describe("the text that was read", () => {
  test.each([
    "1",
    "-1",
    "100m",
    "1Gi",
    "12e6",
    "+1",
    "007",
    "1.234",
    "1.500",
    "1E3",
    "001Ki",
    "+99999999999Ki",
    "+123456789012345678",
  ])("%s is repeated as Kubernetes repeats it", (text) =>
    expect(quantityToString(parseQuantity(text))).toBe(text),
  );

  test.each([
    ["1000", "1k"],
    ["8Ki", "8Ki"],
    ["1024Ki", "1Mi"],
    ["1.2", "1200m"],
    ["0.001", "1m"],
    ["+999999999999Ki", "999999999999Ki"],
    ["+1234567890123456789", "1234567890123456789"],
  ])("%s is not, and becomes %s", (text, printed) => {
    expect(parseQuantity(text).text).toBeUndefined();
    expect(quantityToString(parseQuantity(text))).toBe(printed);
  });
});

describe("texts that are no quantities", () => {
  const format =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const suffix = "unable to parse quantity's suffix";
  const numeric = "unable to parse numeric part of quantity";
  test.each([
    ["", format],
    [" 1", format],
    ["1 ", format],
    ["1.1.M", format],
    ["1+1.0M", format],
    ["0.1am", format],
    ["aoeu", format],
    ["Infinity", format],
    ["0.1mi", suffix],
    [".5i", suffix],
    ["1i", suffix],
    ["1e", suffix],
    ["-3.01e-", suffix],
    ["1ki", suffix],
    ["1K", suffix],
    ["1e99999999999999999999", suffix],
    ["1e4294967296", suffix],
    ["e-10", numeric],
    ["Pi", numeric],
  ])("%j is refused with Kubernetes' text", (text, message) => {
    expect(() => parseQuantity(text)).toThrow(new TypeError(message));
  });

  test.each(["-", ".", "-.", "k", "Ki"])("%s is zero, as in Kubernetes", (text) => {
    expect(quantityToString(parseQuantity(text))).toBe("0");
  });

  test("a hostile text takes no longer than its length", () => {
    const zeros = "0".repeat(200_000);
    expect(() => parseQuantity(`1${zeros}!`)).toThrow(format);
    expect(() => parseQuantity(`1${zeros}1`)).toThrow("a quantity may have 4096 digits at most");
    expect(canonical("9".repeat(4096))).toHaveLength(4096);
  });
});

describe("properties", () => {
  const factors: Readonly<Record<string, readonly [bigint, bigint]>> = {
    n: [1n, 10n ** 9n],
    u: [1n, 10n ** 6n],
    m: [1n, 1000n],
    "": [1n, 1n],
    k: [1000n, 1n],
    M: [10n ** 6n, 1n],
    E: [10n ** 18n, 1n],
    Ki: [1024n, 1n],
    Gi: [2n ** 30n, 1n],
    Pi: [2n ** 50n, 1n],
    "e-2": [1n, 100n],
    e7: [10n ** 7n, 1n],
  };
  const digits = fc.stringMatching(/^[0-9]{1,5}$/);
  const parts = fc.record({
    whole: digits,
    fraction: fc.option(fc.stringMatching(/^[0-9]{1,12}$/), { nil: "" }),
    suffix: fc.constantFrom(...Object.keys(factors)),
  });

  test("reading gives the amount written, rounded up to a billionth", () => {
    fc.assert(
      fc.property(parts, ({ whole, fraction, suffix }) => {
        const [times, over] = factors[suffix] ?? [0n, 1n];
        const dividend = BigInt(whole + fraction) * times * 10n ** 9n;
        const divisor = 10n ** BigInt(fraction.length) * over;
        const nanos = (dividend + divisor - 1n) / divisor;
        const read = parseQuantity(`${whole}.${fraction}${suffix}`);
        fc.pre(read.format !== "BinarySI" || nanos < 2n ** 63n * 10n ** 9n);
        expect(read.mantissa * 10n ** BigInt(read.scale + 9)).toBe(nanos);
      }),
    );
  });

  const texts = fc
    .tuple(fc.constantFrom("", "-"), parts)
    .map(([sign, { whole, fraction, suffix }]) => `${sign}${whole}.${fraction}${suffix}`);

  test("the canonical form has the same amount, no fraction, and is its own canonical form", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const printed = canonical(text);
        expect(compareQuantities(parseQuantity(printed), parseQuantity(text))).toBe(0);
        expect(printed).not.toContain(".");
        expect(quantityToString(parseQuantity(printed))).toBe(printed);
        expect(canonical(printed)).toBe(printed);
      }),
    );
  });

  test("the short way through common texts gives what the long way gives", () => {
    const common = fc
      .tuple(fc.nat(999_999_999), fc.constantFrom("", "m", "Ki", "Mi", "Gi"))
      .map(([number, unit]) => `${number}${unit}`);
    fc.assert(
      fc.property(common, (text) => {
        // A sign is enough to be sent the long way.
        const { text: _, ...long } = parseQuantity(`+${text}`);
        expect(parseQuantity(text)).toMatchObject(long);
        expect(quantityToString(parseQuantity(text))).toBe(canonical(text));
      }),
    );
  });
});
