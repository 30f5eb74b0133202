import { fieldNotSupported } from "@kedge/machinery";
import { stableText } from "../stable-text.ts";
import type { Findings } from "./findings.ts";

/**
 * Whether a value is one of an enumeration. As on the server, null never is, also when it is listed, and a number is
 * compared with whole ones by its whole part.
 */
export function compileEnumCheck(
  values: readonly unknown[] | undefined,
): ((value: unknown, findings: Findings) => void) | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const scalars = new Set(values.filter((value) => typeof value !== "object"));
  const compounds = new Set(
    values.filter((value) => typeof value === "object" && value !== null).map(stableText),
  );
  const supported = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));

  return (value, findings) => {
    const found =
      typeof value === "object" && value !== null
        ? compounds.has(stableText(value))
        : scalars.has(value) || (typeof value === "number" && scalars.has(Math.trunc(value)));
    if (!found) findings.add(fieldNotSupported(findings.field(), value, supported));
  };
}
