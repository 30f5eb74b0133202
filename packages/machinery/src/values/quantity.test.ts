import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addQuantities,
  compareQuantities,
  negateQuantity,
  quantityIsZero,
  quantityMilliValue,
  quantityOf,
  quantitySign,
  quantityToNumber,
  quantityValue,
  subtractQuantities,
  type Quantity,
} from "./quantity.ts";
import { parseQuantity, quantityToString } from "./quantity-text.ts";

describe("quantityOf", () => {
  test.each([
    [1, {}, "1"],
    [1_234_000, {}, "1234k"],
    [1500, { scale: -3 }, "1500m"],
    [1024 * 1024, { format: "BinarySI" }, "1Mi"],
    [1024, { format: "BinarySI", scale: -3 }, "1024m"],
    [1_000_000, { format: "DecimalExponent" }, "1e6"],
    [-(2n ** 63n), {}, "-9223372036854775808"],
  ] as const)("%s with %j is printed as %s", (value, options, printed) => {
    expect(quantityToString(quantityOf(value, options))).toBe(printed);
  });

  test("a number that is not whole or not exact is refused", () => {
    expect(() => quantityOf(0.5)).toThrow("quantity 0.5: must be a whole number");
    expect(() => quantityOf(2 ** 53)).toThrow(
      "quantity 9007199254740992: must be a whole number that is exact",
    );
    expect(() => quantityOf(1, { scale: -10 })).toThrow(
      "quantity scale -10: must be a whole number from -9 to 18",
    );
    expect(() => quantityOf(1, { scale: 19 })).toThrow("quantity scale 19");
  });

  test("a quantity cannot be changed", () => {
    for (const quantity of [
      quantityOf(1),
      parseQuantity("1"),
      parseQuantity("1.5"),
      negateQuantity(quantityOf(1)),
    ]) {
      expect(Object.isFrozen(quantity)).toBe(true);
    }
  });
});

describe("arithmetic", () => {
  test.each([
    ["1", "100m", "1100m", "900m"],
    ["1Gi", "1Mi", "1025Mi", "1023Mi"],
    ["1Gi", "1", "1073741825", "1073741823"],
    ["1Ki", "1m", "1024001m", "1023999m"],
    ["0", "1Gi", "1Gi", "-1Gi"],
    ["1Gi", "0", "1Gi", "1Gi"],
    ["0", "100m", "100m", "-100m"],
    ["1e3", "1", "1001", "999"],
    ["0e999999999", "1", "1", "-1"],
    ["9223372036854775807", "1", "9223372036854775808", "9223372036854775806"],
    ["500m", "500m", "1", "0"],
    ["1.234", "0", "1234m", "1234m"],
  ])("%s and %s make %s, and differ by %s", (a, b, sum, difference) => {
    expect(quantityToString(addQuantities(parseQuantity(a), parseQuantity(b)))).toBe(sum);
    expect(quantityToString(subtractQuantities(parseQuantity(a), parseQuantity(b)))).toBe(difference);
  });

  test("zero takes the format of what is added to it", () => {
    expect(addQuantities(parseQuantity("0"), parseQuantity("1Gi")).format).toBe("BinarySI");
    expect(addQuantities(parseQuantity("1"), parseQuantity("1Gi")).format).toBe("DecimalSI");
    expect(subtractQuantities(parseQuantity("0"), parseQuantity("1e3")).format).toBe("DecimalExponent");
  });

  test("a sum that would only exhaust memory is refused", () => {
    expect(() => addQuantities(parseQuantity("1e999999999"), parseQuantity("1"))).toThrow(
      "quantity: 10^999999999 is too large to compute with, the limit is 10^4096",
    );
  });
});

describe("order", () => {
  test.each([
    ["0", "0Ki", 0],
    ["100m", "50m", 1],
    ["50m", "100m", -1],
    ["10000T", "100Gi", 1],
    ["1Ki", "1024", 0],
    ["1Mi", "1M", 1],
    ["0.5", "500m", 0],
    ["-1", "-2", 1],
    ["-1k", "-2", -1],
    ["-1", "1n", -1],
    ["0", "-1n", 1],
    ["1e999999999", "1Ei", 1],
    ["-1e999999999", "-1Ei", -1],
    ["10e3", "1e4", 0],
    ["11e3", "1e4", 1],
  ] as const)("%s compared with %s is %i", (a, b, expected) => {
    expect(compareQuantities(parseQuantity(a), parseQuantity(b))).toBe(expected);
    expect(compareQuantities(parseQuantity(b), parseQuantity(a))).toBe(expected === 0 ? 0 : -expected);
  });

  test.each([
    ["0Gi", 0],
    ["1n", 1],
    ["-1n", -1],
  ])("the sign of %s is %i", (text, sign) => {
    expect(quantitySign(parseQuantity(text))).toBe(sign);
    expect(quantityIsZero(parseQuantity(text))).toBe(sign === 0);
  });
});

describe("values", () => {
  test.each([
    ["1", 1n, 1000n, 1],
    ["1n", 1n, 1n, 1e-9],
    ["250m", 1n, 250n, 0.25],
    ["1500m", 2n, 1500n, 1.5],
    ["1500001u", 2n, 1501n, 1.500001],
    ["-1500m", -2n, -1500n, -1.5],
    ["-0.05Gi", -53687092n, -53687091200n, -53687091.2],
    ["1Gi", 1073741824n, 1073741824000n, 1073741824],
    ["100E", 100n * 10n ** 18n, 100n * 10n ** 21n, 1e20],
    ["0", 0n, 0n, 0],
  ])("%s is %s whole units, %s thousandths, about %d", (text, value, milli, number) => {
    const quantity = parseQuantity(text);
    expect(quantityValue(quantity)).toBe(value);
    expect(quantityMilliValue(quantity)).toBe(milli);
    expect(quantityToNumber(quantity)).toBe(number);
  });

  test("an amount beyond any number is infinite, and is not written out", () => {
    const huge = parseQuantity("-1e999999999");
    expect(quantityToNumber(huge)).toBe(-Infinity);
    expect(() => quantityValue(huge)).toThrow("too large to compute with");
    expect(quantityValue(subtractQuantities(huge, huge))).toBe(0n);
  });
});

describe("properties", () => {
  const quantities: fc.Arbitrary<Quantity> = fc
    .tuple(
      fc.bigInt(-(10n ** 20n), 10n ** 20n),
      fc.integer({ min: -9, max: 18 }),
      fc.constantFrom("BinarySI" as const, "DecimalSI" as const, "DecimalExponent" as const),
    )
    .map(([value, scale, format]) => quantityOf(value, { scale, format }));

  test("adding commutes and associates", () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        const [left, right] = [addQuantities(addQuantities(a, b), c), addQuantities(a, addQuantities(b, c))];
        expect(compareQuantities(addQuantities(a, b), addQuantities(b, a))).toBe(0);
        expect(compareQuantities(left, right)).toBe(0);
      }),
    );
  });

  test("subtracting undoes adding, and an amount less itself is zero", () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0);
        expect(quantityIsZero(subtractQuantities(a, a))).toBe(true);
      }),
    );
  });

  test("comparing is a total order that agrees with the sign of the difference", () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        expect(compareQuantities(a, b)).toBe(quantitySign(subtractQuantities(a, b)));
        expect(compareQuantities(a, b) + compareQuantities(b, a)).toBe(0);
        const [low, middle, high] = [a, b, c].toSorted(compareQuantities);
        if (low === undefined || middle === undefined || high === undefined)
          throw new Error("three are three");
        expect(compareQuantities(low, middle)).not.toBe(1);
        expect(compareQuantities(middle, high)).not.toBe(1);
        expect(compareQuantities(low, high)).not.toBe(1);
      }),
    );
  });

  test("whole units are the nearest ones away from zero", () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        const rest = subtractQuantities(quantityOf(quantityValue(quantity)), quantity);
        const distance = quantitySign(rest) < 0 ? negateQuantity(rest) : rest;
        expect(compareQuantities(distance, quantityOf(1))).toBe(-1);
        expect(quantitySign(rest)).toBeOneOf([0, quantitySign(quantity)]);
      }),
    );
  });
});
