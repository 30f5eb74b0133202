import { SchemaError } from "./schema-error.ts";

/**
 * A regular expression as the API server reads it: Go's syntax, which has neither look-around nor back references, and
 * no flags.
 */
export function patternOf(regex: RegExp, path: string): string {
  const flags = regex.flags.replaceAll(/[uv]/gu, "");
  if (flags !== "")
    throw new SchemaError(path, `pattern ${String(regex)}: flags (${flags}) are not possible in a CRD`);
  const source = regex.source.replaceAll(String.raw`\/`, "/");
  if (/\(\?(?:<?[=!])/u.test(source)) {
    throw new SchemaError(path, `pattern ${String(regex)}: look-around is not possible in a CRD`);
  }
  if (/\\(?:[1-9]|k<)/u.test(source)) {
    throw new SchemaError(path, `pattern ${String(regex)}: back references are not possible in a CRD`);
  }
  return source;
}
