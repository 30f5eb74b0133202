import { fieldInvalid, fieldTooLong, fieldTypeInvalid, goQuote } from "@kedge/machinery";
import { compilePattern } from "../pattern.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Findings } from "./findings.ts";

/** Length and pattern of a text: the first that is wrong is told. Undefined when the schema asks for none. */
export function compileTextCheck(
  schema: JsonSchema,
): ((text: string, findings: Findings) => void) | undefined {
  const { maxLength, minLength } = schema;
  const pattern = schema.pattern ?? "";
  if (maxLength === undefined && minLength === undefined && pattern === "") return undefined;
  const compiled = pattern === "" ? undefined : compilePattern(pattern);

  return (text, findings) => {
    if (maxLength !== undefined && text.length > maxLength && characters(text) > maxLength) {
      findings.add(fieldTooLong(findings.field(), maxLength));
    } else if (minLength !== undefined && text.length / 2 < minLength && characters(text) < minLength) {
      findings.add(
        fieldInvalid(
          findings.field(),
          text,
          `${findings.path} in body should be at least ${minLength} chars long`,
        ),
      );
    } else if (compiled !== undefined && (compiled.error !== undefined || !compiled.matches(text))) {
      const shown =
        compiled.error === undefined ? pattern : `${pattern}, but pattern is invalid: ${compiled.error}`;
      findings.add(fieldInvalid(findings.field(), text, `${findings.path} in body should match '${shown}'`));
    }
  };
}

/** A text that is not of the format that its schema names. */
export function compileFormatCheck(
  format: string,
  isValid: (text: string) => boolean,
): (text: string, findings: Findings) => void {
  return (text, findings) => {
    if (isValid(text)) return;
    findings.add(
      fieldTypeInvalid(
        findings.field(),
        text,
        `${findings.path} in body must be of type ${format}: ${goQuote(text)}`,
      ),
    );
  };
}

/** Code points, as Go counts runes. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
