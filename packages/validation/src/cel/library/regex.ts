import { compilePattern } from "../../pattern.ts";
import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { intType, listOf, stringType } from "../values/types.ts";
import { CelError, PlainList, type Value } from "../values/values.ts";
import { method } from "./declare.ts";
import { tooMuchWork } from "./standard.ts";

/** Kubernetes' library of regular expressions. */
export function regex(): Overload[] {
  return [
    method(
      "find",
      "string_find_string",
      [stringType, stringType, stringType],
      (text = null, pattern = null) => {
        const parts = found(text, pattern, 1n);
        return parts instanceof CelError ? parts : (parts[0] ?? "");
      },
    ),
    method("findAll", "string_find_all_string", [stringType, stringType, listOf(stringType)], all),
    method(
      "findAll",
      "string_find_all_string_int",
      [stringType, stringType, intType, listOf(stringType)],
      all,
    ),
  ];
}

function found(text: Value, pattern: Value, most: Value): CelError | string[] {
  if (typeof text !== "string" || typeof pattern !== "string" || typeof most !== "bigint")
    return noSuchOverload;
  const compiled = compilePattern(pattern);
  if (compiled.error !== undefined) return new CelError(`Illegal regex: ${compiled.error}`);
  const costly = tooMuchWork(text, pattern);
  return costly ?? compiled.findAll(text, most < 0n ? Infinity : Number(most));
}

function all(text: Value = null, pattern: Value = null, most: Value = -1n): Value {
  const parts = found(text, pattern, most);
  return parts instanceof CelError ? parts : new PlainList(parts);
}
