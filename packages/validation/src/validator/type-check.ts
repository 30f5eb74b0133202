import { fieldTypeInvalid, goQuote } from "@kedge/machinery";
import { typeOf } from "./check.ts";
import type { Findings } from "./findings.ts";

/** Checks the type of a value: types of the schema, its format after unknown ones were dropped, and whether null may be. */
export function compileTypeCheck(
  types: readonly string[],
  format: string,
  nullable: boolean,
): (value: unknown, findings: Findings) => boolean {
  const expected = types.join(",");
  const allowsInteger = types.includes("integer");
  const allowsNumber = types.includes("number");
  const numeric = allowsInteger || allowsNumber;

  return (value, findings) => {
    const actual = typeOf(value);
    if (actual === "null") {
      return types.length === 0 || nullable || wrongType(findings, expected, "null");
    }
    const fits =
      types.includes(actual) ||
      (actual === "integer" && allowsNumber) ||
      (actual === "number" && allowsInteger && Number.isSafeInteger(value));
    if (fits) return true;
    if (format !== "") {
      // The server looks at the format before the type: a number where a date-time should be is told as `int64`.
      const textual = actual === "string" || actual === "array";
      if (!textual && goFormat(actual) !== format) return wrongType(findings, format, goFormat(actual));
      if (textual && !numeric) return true;
    }
    return wrongType(findings, expected, actual);
  };
}

function goFormat(type: string): string {
  if (type === "integer") return "int64";
  return type === "number" ? "float64" : "";
}

function wrongType(findings: Findings, expected: string, actual: string): false {
  findings.add(
    fieldTypeInvalid(
      findings.field(),
      actual,
      `${findings.path} in body must be of type ${expected}: ${goQuote(actual)}`,
    ),
  );
  return false;
}
