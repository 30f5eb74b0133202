import { formatCheckOf, supportedFormat } from "../formats/formats.ts";
import { additionalOf, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";
import { compileAlternativesCheck } from "./alternatives-check.ts";
import type { Check } from "./check.ts";
import { compileEnumCheck } from "./enum-check.ts";
import { compileListCheck } from "./list-check.ts";
import { compileNumberCheck } from "./number-check.ts";
import { compileObjectCheck } from "./object-check.ts";
import { compileFormatCheck, compileTextCheck } from "./text-check.ts";
import { compileTypeCheck } from "./type-check.ts";

/** What a schema is compiled for. */
export interface CompileOptions {
  /** Defaults of a CRD are checked without the rules of int-or-string, and with formats that the server does not know. */
  readonly forDefaults?: boolean | undefined;
}

/**
 * Compiles a schema into one check of a value. The parts are asked in the server's order: type, alternatives, text,
 * format, number, list, enumeration, object. `matched` counts as the server does: it decides which of failed
 * alternatives is told.
 */
export function compileCheck(schema: JsonSchema, options: CompileOptions = {}): Check {
  const types = typesOf(schema, options);
  const format = options.forDefaults === true ? (schema.format ?? "") : supportedFormat(types, schema.format);
  const isFormat = format === "" ? undefined : formatCheckOf(format);
  const compile = (part: JsonSchema): Check => compileCheck(part, options);
  const item = itemsOf(schema);
  const additional = additionalOf(schema);

  const typed = types.length > 0 || format !== "";
  const checkType = compileTypeCheck(types, format, schema.nullable === true);
  const checkEnum = compileEnumCheck(schema.enum);
  const checkText = compileTextCheck(schema);
  const checkFormat = isFormat === undefined ? undefined : compileFormatCheck(format, isFormat);
  const checkNumber = compileNumberCheck(schema, types, format);
  const checkList = compileListCheck(schema, item === undefined ? undefined : compile(item));
  const checkObject = compileObjectCheck(schema, {
    properties: new Map(propertiesOf(schema).map(([name, part]) => [name, compile(part)])),
    additional: additional === undefined ? undefined : compile(additional),
  });
  const checkAlternatives = compileAlternativesCheck({
    anyOf: (schema.anyOf ?? []).map(compile),
    oneOf: (schema.oneOf ?? []).map(compile),
    allOf: (schema.allOf ?? []).map(compile),
    not: schema.not === undefined ? undefined : compile(schema.not),
  });

  return (value, findings, previous) => {
    if (value === null || value === undefined) {
      if (checkType(null, findings)) findings.matched(1);
      checkEnum?.(null, findings);
      return;
    }
    // Each validator that applies counts once, and so does the whole.
    if (typed) findings.matched(checkType(value, findings) ? 2 : 1);
    checkAlternatives?.(value, findings, previous);
    findings.matched(4);
    if (typeof value === "string") {
      findings.matched(checkFormat === undefined ? 1 : 2);
      checkText?.(value, findings);
      checkFormat?.(value, findings);
    } else if (typeof value === "number" || typeof value === "bigint") {
      findings.matched(2);
      checkNumber?.(value, findings);
    } else if (Array.isArray(value)) {
      findings.matched(1);
      checkList(value, findings, previous);
    }
    checkEnum?.(value, findings);
    if (typeof value === "object" && !Array.isArray(value)) {
      findings.matched(1);
      checkObject(value, findings, previous);
    }
  };
}

function typesOf(schema: JsonSchema, options: CompileOptions): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true && options.forDefaults !== true) {
    return ["integer", "string"];
  }
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}
