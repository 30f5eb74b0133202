import {
  addQuantities,
  compareQuantities,
  messageOf,
  parseQuantity,
  quantityOf,
  quantitySign,
  quantityToNumber,
  subtractQuantities,
  type Quantity,
} from "@kedge/machinery";
import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { boolType, doubleType, intType, stringType, structType } from "../values/types.ts";
import { CelError, isError, type Opaque, type Value } from "../values/values.ts";
import { fn, method, texts } from "./declare.ts";

export const quantityType = structType("kubernetes.Quantity");

class QuantityValue implements Opaque {
  readonly opaque = quantityType;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  equals(other: Value): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

/** Kubernetes' library of quantities. */
export function quantities(): Overload[] {
  const comparison = (
    name: string,
    id: string,
    shown: (order: number) => Value,
    result = boolType,
  ): Overload =>
    method(
      name,
      id,
      [quantityType, quantityType, result],
      two((a, b) => shown(Math.sign(compareQuantities(a, b)))),
    );
  return [
    fn(
      "quantity",
      "string_to_quantity",
      [stringType, quantityType],
      texts((text = "") => quantityFrom(text)),
    ),
    fn(
      "isQuantity",
      "is_quantity_string",
      [stringType, boolType],
      texts((text = "") => !isError(quantityFrom(text))),
    ),
    fn(
      "sign",
      "quantity_sign",
      [quantityType, intType],
      one((quantity) => BigInt(quantitySign(quantity))),
    ),
    comparison("isGreaterThan", "quantity_is_greater_than", (order) => order > 0),
    comparison("isLessThan", "quantity_is_less_than", (order) => order < 0),
    comparison("compareTo", "quantity_compare_to", (order) => BigInt(order), intType),
    method("asApproximateFloat", "quantity_get_float", [quantityType, doubleType], one(quantityToNumber)),
    method(
      "asInteger",
      "quantity_get_int",
      [quantityType, intType],
      one((quantity) => integerOf(quantity) ?? new CelError("cannot convert value to integer")),
    ),
    method(
      "isInteger",
      "quantity_is_integer",
      [quantityType, boolType],
      one((quantity) => integerOf(quantity) !== undefined),
    ),
    method(
      "add",
      "quantity_add",
      [quantityType, quantityType, quantityType],
      two((a, b) => new QuantityValue(addQuantities(a, b))),
    ),
    method(
      "add",
      "quantity_add_int",
      [quantityType, intType, quantityType],
      two((a, b) => new QuantityValue(addQuantities(a, b))),
    ),
    method(
      "sub",
      "quantity_sub",
      [quantityType, quantityType, quantityType],
      two((a, b) => new QuantityValue(subtractQuantities(a, b))),
    ),
    method(
      "sub",
      "quantity_sub_int",
      [quantityType, intType, quantityType],
      two((a, b) => new QuantityValue(subtractQuantities(a, b))),
    ),
  ];
}

function quantityFrom(text: string): Value {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    return new CelError(messageOf(error));
  }
}

/** The amount, if it is whole and fits into 64 bits. */
function integerOf({ mantissa, scale }: Quantity): bigint | undefined {
  const unit = 10n ** BigInt(Math.abs(scale));
  if (scale < 0 && mantissa % unit !== 0n) return undefined;
  const value = scale < 0 ? mantissa / unit : mantissa * unit;
  return value >= 2n ** 63n || value < -(2n ** 63n) ? undefined : value;
}

function one(run: (quantity: Quantity) => Value): NonNullable<Overload["run"]> {
  return (value = null) => (value instanceof QuantityValue ? run(value.quantity) : noSuchOverload);
}

/** The second one may be an integer. */
function two(run: (a: Quantity, b: Quantity) => Value): NonNullable<Overload["run"]> {
  return (a = null, b = null) => {
    const other = typeof b === "bigint" ? quantityOf(b, { format: "DecimalExponent" }) : undefined;
    const second = b instanceof QuantityValue ? b.quantity : other;
    return a instanceof QuantityValue && second !== undefined ? run(a.quantity, second) : noSuchOverload;
  };
}
