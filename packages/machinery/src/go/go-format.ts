import { goQuote } from "./go-quote.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";
import { compareText } from "./text-order.ts";

/** Shows a JSON value as Go's `%v` does: `map[a:1 b:[x y]]`. */
export function goFormatV(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (isJsonList(value)) return `[${value.map(goFormatV).join(" ")}]`;
  if (isJsonObject(value)) {
    return `map[${sortedKeys(value)
      .map((key) => `${key}:${goFormatV(value[key])}`)
      .join(" ")}]`;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Shows a JSON value as Go's `%s` does, which is made for texts: `%!s(int64=7)`. */
export function goFormatS(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (isJsonList(value)) return `[${value.map(goFormatS).join(" ")}]`;
  if (!isJsonObject(value)) return `%!s(${goType(value)}=${goFormatV(value)})`;
  const fields = sortedKeys(value).map((key) => `${key}:${goFormatS(value[key])}`);
  return `map[${fields.join(" ")}]`;
}

/** Shows a JSON value as Go's `%#v` does. */
export function goFormatSharpV(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  if (isJsonList(value)) return `[]interface {}{${value.map(goFormatSharpV).join(", ")}}`;
  if (isJsonObject(value)) {
    return `map[string]interface {}{${sortedKeys(value)
      .map((key) => `${goQuote(key)}:${goFormatSharpV(value[key])}`)
      .join(", ")}}`;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The Go type that a JSON value is decoded into. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "bigint") return "int64";
  return isJsonList(value) ? "[]interface {}" : "map[string]interface {}";
}

function sortedKeys(object: JsonObject): readonly string[] {
  return Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .toSorted(compareText);
}

/** A number as Go's `%v` prints it: fractions that are small or large with two digits of exponent at least. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e21) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
